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
    #expect(unknown.errors.contains("힌트: 본문에서 찾으려면: `diary search 하늘`"), "\(unknown.errors)")
    #expect(unknown.errors.contains("\"하늘\"") && !unknown.errors.contains("no title"))
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
    #expect(try await home.diary("show", "하늘", in: "j").errors.contains("no title contains"))
    home.set("LC_ALL", "de_DE.UTF-8")
    #expect(try await home.diary("show", "하늘", in: "j").errors.contains("no title contains"))
    home.set("LANGUAGE", "fr:ko")
    #expect(try await home.diary("show", "하늘", in: "j").errors.contains("힌트:"))
  }

  @Test func `a save is reported in Korean and committed in English`() async throws {
    let made = try await home.diary("new", "산책", "-m", "비가 왔다", in: "j")
    #expect(made.errors.contains("저장함: \"산책\" 씀 (+2단어) ("), "\(made)")
    let added = try await home.diary("add", "--to", "산책", "바람", in: "j")
    #expect(added.errors.contains("저장함: \"산책\" 고침 (+1단어) ("), "\(added)")
    let renamed = try await home.diary("rename", "산책", "강가", in: "j")
    #expect(renamed.errors.contains("저장함: \"산책\" 이름을 \"강가\"(으)로 바꿈 ("), "\(renamed)")
    let history = try await home.diary("history", "1", in: "j").output
    #expect(history.contains("\"산책\" 씀 (+2단어)") && !history.contains("Write"), "\(history)")
    let deleted = try await home.diary("delete", "1", "--yes", in: "j")
    #expect(deleted.errors.contains("저장함: \"강가\" 삭제"), "\(deleted)")
    let undone = try await home.diary("undo", "--yes", in: "j")
    #expect(undone.errors.contains("저장함: \"강가\" 삭제 되돌림 ("), "\(undone)")
    let redone = try await home.diary("redo", "--yes", in: "j")
    #expect(redone.errors.contains("저장함: \"강가\" 삭제 다시 함 ("), "\(redone)")
    let back = try await home.diary("restore", "강가", in: "j")
    #expect(back.errors.contains("저장함: \"강가\" 되살림"), "\(back)")
    let log = try await home.git("log", "-7", "--format=%s", in: "j")
    #expect(
      log == """
        Restore "강가"
        Redo delete "강가"
        Undo delete "강가"
        Delete "강가"
        Rename "산책" to "강가"
        Edit "산책" (+1 word)
        Write "산책" (+2 words)

        """)
  }

  @Test func `the parser's own words are Korean`() async throws {
    let help = try await home.diary("key", "--help", in: "j")
    #expect(help.output.contains("\n하위 명령:\n  list (기본)             일기장"), "\(help)")
    #expect(help.output.contains("자세한 도움말은 'diary help key <subcommand>'"))
    let number = try await home.diary("list", "-n", "x", in: "j")
    #expect(number.errors.hasPrefix("diary: '-n <count>'에 쓸 수 없는 값입니다: 'x'\n"), "\(number)")
    let format = try await home.diary("export", "--format", "x", "y", in: "j")
    #expect(format.errors.contains("'x'. 쓸 수 있는 값: html, json"), "\(format)")
  }

  @Test func `weather is named in Korean`() async throws {
    for (name, weather) in [("a", "Rain, 4°C"), ("b", "Clear, 4°C"), ("c", "비, 4°C")] {
      let text = "---\ndate: 2026-01-02\nweather: \(weather)\n---\n\(name)\n"
      try home.write(text, to: "j/\(name).md")
    }
    let rain = try await home.diary("list", "--weather", "비", "--format", "%t", in: "j")
    #expect(rain.output.split(separator: "\n").sorted() == ["a", "c"], "\(rain)")
    let shared = try await home.diary("share", "b", "--format", "text", in: "j")
    #expect(shared.output.contains("맑음, 4°C"), "\(shared)")
  }

  @Test func `a renamed tag is reported in Korean and committed in English`() async throws {
    try await home.diary("new", "산책", "-m", "비 #커피", in: "j")
    let renamed = try await home.diary("tags", "--rename", "커피", "차", in: "j")
    #expect(renamed.errors.contains("저장함: #커피 태그를 #차(으)로 바꿈(일기 1편) ("), "\(renamed)")
    let subject = try await home.git("log", "-1", "--format=%s", in: "j")
    #expect(subject == "Rename the tag #커피 to #차 in 1 entry\n")
  }

  @Test func `a merged conflict copy is reported in Korean and committed in English`() async throws
  {
    let path = "j/2026/11/2026-11-20-바다"
    let text = try home.read(path + ".md")
    try home.write(text + "\n바람\n", to: path + ".sync-conflict-20261120-101010-ABCDEF7.md")
    let merged = try await home.diary("check", "--fix", "--yes", in: "j")
    #expect(merged.errors.contains("저장함: 충돌 사본을 \"바다\"에 합치기 ("), "\(merged)")
    let subject = try await home.git("log", "-1", "--format=%s", in: "j")
    #expect(subject == "Merge a conflict copy into \"바다\"\n")
  }

  @Test func `templates are offered in Korean, and those of other languages still work`()
    async throws
  {
    let names = try await home.diary("new", "--template", "help", in: "j").output
    #expect(names == "plain\n감사-일기\n아침-글\n여행\n한-주-돌아보기\n")
    try await home.diary("new", "--template", "감사-일기", "-m", "볕", in: "j")
    let thanks = try await home.diary("show", "감사", in: "j").output
    #expect(thanks.contains("tags: [감사]") && thanks.contains("의 고마운 일 세 가지"), "\(thanks)")
    try await home.diary("new", "--template", "gratitude", "-m", "볕", in: "j")
    #expect(try await home.diary("show", "Gratitude", in: "j").output.contains("[gratitude]"))
    home.set("LANG", "en_US.UTF-8")
    let english = try await home.diary("new", "--template", "help", in: "j").output
    #expect(english == "gratitude\nmorning-pages\nplain\ntravel\nweekly-review\n")
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
