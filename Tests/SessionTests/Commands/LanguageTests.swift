import TestSupport
import Testing

/// Output for users is in their language; output for programs and stored text is not.
@Suite(.serialized) struct LanguageTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
    try await home.diary("new", "바다", "--message", "파도", "--date", "2026-11-20", in: "j")
    home.set("LANG", "ko_KR.UTF-8")
  }

  @Test func `errors, hints and results are Korean with the same exit codes`() async throws {
    let unknown = try await home.diary("show", "하늘", in: "j")
    #expect(unknown.status == 2)
    #expect(unknown.errors.contains("도움말: `diary list`"), "\(unknown.errors)")
    #expect(unknown.errors.contains("\"하늘\"") && !unknown.errors.contains("no entry"))
    let usage = try await home.diary("list", "--at", "1", "--deleted", in: "j")
    #expect(usage.status == 64 && usage.errors.contains("--at"), "\(usage.errors)")
    #expect(!usage.errors.contains("choose one"), "\(usage.errors)")
    let nowhere = try await home.diary("list", "--journal", "missing", in: "j")
    #expect(nowhere.status == 1 && !nowhere.errors.contains("there is no"), "\(nowhere.errors)")
    let help = try await home.diary("list", "--help", in: "j")
    #expect(help.output.contains("--deleted") && !help.output.contains("List entries"))
  }

  @Test func `environment variables have the same precedence as in gettext`() async throws {
    home.set("LC_ALL", "C.UTF-8")
    #expect(try await home.diary("show", "하늘", in: "j").errors.contains("no entry matches"))
    home.set("LC_ALL", "de_DE.UTF-8")
    #expect(try await home.diary("show", "하늘", in: "j").errors.contains("no entry matches"))
    home.set("LANGUAGE", "fr:ko")
    #expect(try await home.diary("show", "하늘", in: "j").errors.contains("도움말:"))
  }

  @Test func `JSON, commits and the list file are always English`() async throws {
    try home.write("no date\n", to: "j/undated.md")
    try await home.diary("add", "--to", "바다", "바람", in: "j")
    try await home.git("switch", "-q", "--detach", in: "j")
    try home.write("more\n", to: "j/undated.md")
    try await home.diary("save", in: "j")
    let korean = try await home.diary("status", in: "j").output
    #expect(korean.contains("커밋") && !korean.contains("HEAD is detached"), "\(korean)")
    for words in [["status"], ["list"], ["history", "바다"]] {
      let korean = try await home.run(Sandbox.programs + "/diary", words + ["--json"], in: "j")
      home.set("LANG", "C.UTF-8")
      let english = try await home.run(Sandbox.programs + "/diary", words + ["--json"], in: "j")
      home.set("LANG", "ko_KR.UTF-8")
      #expect(korean.output == english.output && korean.output.contains("{"))
    }
    let log = try await home.git("log", "--all", "--format=%s", in: "j")
    #expect(log.contains("\"바다\"") && !log.contains("일기"), "\(log)")
  }
}
