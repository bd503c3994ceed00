import Foundation
import TestSupport
import Testing

/// The permissions of a diary: only its user may read it by default.
@Suite(.serialized) struct PrivacyTests {
  let home: Sandbox

  init() async throws { home = try Sandbox() }

  private func mode(_ path: String) async throws -> String {
    let shown = try await home.run("stat", ["-c", "%a", path])
    return shown.output.replacing("\n", with: "")
  }

  @Test func `only the user can access a folder that init or clone creates`() async throws {
    try await home.run("sh", ["-c", "umask 022; '\(Sandbox.programs)/diary' init above/j"])
    #expect(try await mode("above/j") == "700")
    #expect(try await mode("above/j/.git/diary") == "700")
    #expect(try await mode("above") == "755")
    try await home.run("git", ["clone", "--quiet", "--bare", "above/j", "far.git"])
    let cloned = try await home.run(
      "sh", ["-c", "umask 022; '\(Sandbox.programs)/diary' clone far.git k"])
    #expect(cloned.status == 0, "\(cloned.errors)")
    #expect(try await mode("k") == "700")
    // No hard links, so that one bad block cannot damage both repositories.
    let shared = try await home.run("find", ["k/.git/objects", "-type", "f", "-links", "+1"])
    #expect(shared.status == 0 && shared.output.isEmpty, "\(shared)")
  }

  @Test func `only the user can read what an export writes`() async throws {
    try await home.diary("init", "j")
    try await home.diary("new", "A walk", "-m", "Soup.", in: "j")
    try home.write("old", to: "open.html")
    try await home.run("chmod", ["644", "open.html"])
    for words in [
      ["export", "../all.json"], ["export", "--format", "backup", "../all.zip"],
      ["export", "--format", "site", "../site"], ["share", "1", "-o", "../one.html"],
      ["share", "1", "-o", "../open.html", "--force"],
    ] {
      let done = try await home.run(Sandbox.programs + "/diary", words, in: "j")
      #expect(done.status == 0, "\(words): \(done)")
      let isSite = words.contains("site")
      #expect(done.errors.contains("chmod -R go+rX ../site") == isSite, "\(words): \(done)")
    }
    for path in ["all.json", "all.zip", "one.html", "site/index.html"] {
      #expect(try await mode(path) == "600", "\(path)")
    }
    #expect(try await mode("site") == "700")
    let restored = try await home.diary("clone", "all.zip", "k")
    #expect(restored.status == 0 && restored.errors.contains("1 entry restored"), "\(restored)")
    #expect(try await mode("k") == "700")
    let wrong = try await home.diary("restore", "../all.zip", in: "j")
    #expect(wrong.status == 64 && wrong.errors.contains("diary clone ../all.zip"), "\(wrong)")
    let imported = try await home.diary("import", "../all.zip", "--dry-run", in: "j")
    #expect(imported.errors.contains("diary clone ../all.zip"), "\(imported)")
    // A file that is replaced keeps its permissions.
    #expect(try await mode("open.html") == "644")
  }

  @Test func `an existing folder keeps its permissions`() async throws {
    try await home.run("sh", ["-c", "mkdir -m 755 j k"])
    try await home.diary("init", "j")
    #expect(try await mode("j") == "755")
    try await home.run("git", ["clone", "--quiet", "--bare", "j", "far.git"])
    try await home.diary("clone", "far.git", "k")
    #expect(try await mode("k") == "755")
  }

  @Test func `a failed clone leaves no folder`() async throws {
    let failed = try await home.diary("clone", "nowhere.git", "k")
    #expect(failed.status == 1)
    #expect(try await mode("k").isEmpty)
    try await home.run("mkdir", ["there"])
    try await home.diary("clone", "nowhere.git", "there")
    #expect(try await mode("there").isEmpty == false)
  }

  @Test func `a folder, pipe or link at the list file's path stays`()
    async throws
  {
    try await home.diary("init", "j")
    let kinds = [
      "mkdir INDEX.md", "mkfifo INDEX.md", "ln -s /etc/passwd INDEX.md", "ln -s nowhere INDEX.md",
    ]
    for (number, kind) in kinds.enumerated() {
      try await home.run("sh", ["-c", "rm -rf INDEX.md; \(kind)"], in: "j")
      let before = try await home.run("ls", ["-ld", "INDEX.md"], in: "j").output
      for command in [
        ["new", "N\(number)", "-m", "x"], ["save"], ["list"], ["index", "--rebuild"],
      ] {
        let done = try await home.run(
          "timeout", ["20", Sandbox.programs + "/diary"] + command, in: "j")
        #expect(done.status == 0, "\(kind): \(command): \(done)")
      }
      #expect(try await home.run("ls", ["-ld", "INDEX.md"], in: "j").output == before)
    }
    #expect(try await home.diary("list", in: "j").output.split(separator: "\n").count == 4)
  }
}
