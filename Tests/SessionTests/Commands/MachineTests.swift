import Foundation
import TestSupport
import Testing

/// Machines that are set up in another way than most.
@Suite struct MachineTests {
  let home: Sandbox

  init() throws { home = try Sandbox() }

  @Test(arguments: [
    ("KST-9", ""), ("UTC+3", ""), ("<+0330>-3:30", ""), ("EST5EDT,M3.2.0,M11.1.0", ""),
    ("NZST-12NZDT,M10.1.0,M3.3.0", ""), ("No/Where", ""), ("", "UTC"), ("EET", "EET"),
    (":Asia/Seoul", "Asia/Seoul"), ("posix/America/New_York", "America/New_York"),
    ("/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"),
  ])
  func `times are those of the machine's other programs`(zone: String, name: String) async throws {
    home.set("TZ", zone)
    try await home.diary("init", "j")
    try await home.diary("new", "Now", "-m", "x", in: "j")
    for day in ["2026-01-10", "2026-07-01"] {
      try await home.diary("new", "Noon", "-m", "x", "--date", day + " 12:00", in: "j")
    }
    let settings = try home.read("j/.diary/config.yml")
    if name.isEmpty {
      #expect(!settings.contains("time_zone"))
    } else {
      #expect(settings.contains("time_zone: \(name)\n"))
    }
    let entries = try await home.run("sh", ["-c", "grep -h ^date: j/2026/*/*.md"]).output
    for line in entries.split(separator: "\n") {
      let written = String(line.dropFirst("date: ".count))
      let other = try await home.run("date", ["-d", written, "+%FT%T%:z"]).output
      #expect(written + "\n" == other)
    }
    #expect(entries.split(separator: "\n").count == 3)
  }

  @Test func `a zone that libc has no file for keeps its name`() async throws {
    home.set("TZDIR", "/none")
    home.set("TZ", "Asia/Seoul")
    try await home.diary("init", "j")
    try await home.diary("today:", "Rain.", in: "j")
    #expect(try home.read("j/.diary/config.yml").contains("time_zone: Asia/Seoul\n"))
    #expect(
      try await home.run("sh", ["-c", "grep -h ^date: j/*/*/*.md"]).output.contains("+09:00"))
  }

  @Test func `a folder whose path is not UTF-8 is refused, and no other is made`() async throws {
    let line = """
      d=$(printf 'd\\377'); mkdir "$d"; ls -A > before; cd "$d"; diary init; echo $?
      cd ..; HOME="$PWD/$d" diary init; echo $?; ls -A | diff before -
      diary init > init; cd "$d"; echo Piped. | diary add | grep -c piped
      """
    let result = try await home.run("sh", ["-c", line])
    #expect(result.output == "1\n1\n1\n", "\(result)")
    #expect(result.errors.contains("the path of the current folder is not UTF-8"))
    #expect(result.errors.contains("the path of HOME is not UTF-8"))
  }

  @Test func `a limit on the size of files is an error with the text`() async throws {
    try await home.diary("init")
    try await home.diary("list")
    let word = String(repeating: "word ", count: 1_000) + "end"
    let result = try await home.run("bash", ["-c", "ulimit -f 2; diary add '\(word)' 2>&1 | cat"])
    #expect(
      result.output.contains("File too large") && result.output.contains("word end"), "\(result)")
    #expect(try await home.diary("list").output == "")
    try await home.diary("add", word)
    #expect(try await home.diary("list").output.contains("word word"))
  }

  @Test func `a broken git configuration is named before anything is written`() async throws {
    try await home.diary("init", "j")
    try await home.diary("list", in: "j")
    try home.write("[user\n", to: ".gitconfig")
    for words in [["today:", "Rain."], ["new", "Title", "-m", "Rain."]] {
      let result = try await home.run(Sandbox.programs + "/diary", words, in: "j")
      #expect(result.status == 1)
      #expect(result.errors.contains(".gitconfig:1") && result.errors.contains("the text: Rain."))
    }
    #expect(try await home.run("find", ["j/2026"]).output == "")
    #expect(try await home.diary("init", "other").status == 1)
    #expect(!home.exists("other"))
  }

  @Test func `a git configuration that the user may not read is left out`() async throws {
    try await home.diary("init", "j")
    chmod(home.homePath + "/.gitconfig", 0)
    let program =
      (geteuid() == 0 ? ["setpriv", "--bounding-set=-all"] : [])
      + [Sandbox.programs + "/diary", "today:", "Rain."]
    let result = try await home.run("/usr/bin/env", program, in: "j")
    #expect(result.status == 0, "\(result)")
  }

  @Test func `a bare repository does not become a journal`() async throws {
    try await home.git("init", "-q", "--bare", "bare", in: "")
    let result = try await home.diary("init", "bare", "--yes")
    #expect(result.status == 1 && result.errors.contains("diary clone"), "\(result)")
    #expect(!home.exists("bare/.diary"))
    try await home.git("init", "-q", "notes", in: "")
    for name in ["HEAD", "objects/a.md", "refs/b.md"] {
      try home.write("ref: x\n", to: "notes/" + name)
    }
    #expect(try await home.diary("init", "notes", "--yes").status == 0)
  }

  @Test func `empty variables are as good as none`() async throws {
    try await home.diary("init", "j")
    home.set("XDG_CONFIG_HOME", "")
    try home.write("*.md filter=upper\n", to: ".config/git/attributes")
    try await home.git("config", "--global", "filter.upper.clean", "tr a-z A-Z", in: "j")
    let result = try await home.diary("today:", "Rain.", in: "j")
    #expect(try await home.git("check-attr", "filter", "x.md", in: "j").contains("upper"))
    #expect((result.output + result.errors).contains("filter"), "\(result)")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a folder to another user"))
  func `the repository of another user is opened where git opens it`() async throws {
    try await home.diary("init", "j")
    try await home.diary("today:", "Rain.", in: "j")
    let path = home.homePath + "/j"
    try await home.run("chown", ["-R", "65534", path])
    for (index, (value, isSafe)) in [
      ("*", true), ("~/j", true), (path, true), ("~/other", false), (path + "/.git", false),
      ("*\n\tdirectory =", false), ("~/other\n\tdirectory =\n\tdirectory = *", true),
    ].enumerated() {
      for file in [".gitconfig", "elsewhere"] {
        try home.write("", to: ".gitconfig")
        try home.write("[safe]\n\tdirectory = \(value)\n", to: file)
        home.set("GIT_CONFIG_GLOBAL", file == "elsewhere" ? home.homePath + "/elsewhere" : nil)
        let git = try await home.run("git", ["status"], in: "j")
        let diary = try await home.diary("add", "Number \(index).", "--journal", path)
        #expect((git.status == 0) == isSafe, "\(value) \(git)")
        #expect((diary.status == 0) == isSafe, "\(value) \(diary)")
      }
    }
    home.set("GIT_CONFIG_GLOBAL", nil)
    try home.write("", to: ".gitconfig")
    try await home.git("config", "--file", ".git/config", "safe.directory", "*", in: "j")
    #expect(try await home.diary("add", "Not safe.", "--journal", path).status == 1)
  }

  @Test func `a launcher that ignores SIGCHLD does not keep git from its exit code`() async throws {
    try await home.git("init", "-q", "--bare", "host.git", in: "")
    try await home.diary("init", "j", "--remote", "host.git")
    try await home.diary("today:", "Rain.", in: "j")
    let launcher = """
      import os, signal, sys
      signal.signal(signal.SIGCHLD, signal.SIG_IGN)
      os.execv(sys.argv[1], sys.argv[1:])
      """
    let words = ["-c", launcher, Sandbox.programs + "/diary", "sync", "--journal", "j"]
    let sync = try await home.run("python3", words)
    #expect(sync.status == 0 && sync.errors.contains("pushed 1 commit"), "\(sync)")
  }
}
