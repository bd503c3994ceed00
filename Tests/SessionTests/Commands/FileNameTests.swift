import Foundation
import TestSupport
import Testing

/// References by file name, template files, and files that remain after a deletion.
@Suite(.serialized) struct FileNameTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "diary")
  }

  @Test(arguments: ["2026-01-02-lake.md", "2026-01-02-lake", "2026/01/2026-01-02-lake.md"])
  func `a file name selects its entry from any folder`(_ name: String) async throws {
    try await home.diary("new", "Lake", "-m", "Cold.", "--date", "2026-01-02")
    try await home.diary("new", "Sea", "-m", "Warm.", "--date", "2026-01-03")
    let result = try await home.diary("show", name)
    #expect(result.status == 0 && result.output.contains("Cold."), "\(result)")
    #expect(try await home.diary("show", "2026-01-02-lak").status == 2)
  }

  @Test func `a title that looks like a file name takes precedence`() async throws {
    try await home.diary("new", "Lake", "-m", "Cold.", "--date", "2026-01-02")
    try await home.diary("new", "About 2026-01-02-lake.md", "-m", "A file.", "--date", "2026-01-03")
    #expect(try await home.diary("show", "2026-01-02-lake.md").output.contains("A file."))
  }

  @Test func `a template may be given as a file`() async throws {
    try home.write(
      "---\ntitle: {{title}}\ndate: {{date}}\n---\n\nMine.\n{{cursor}}\n", to: "my t.md")
    let made = try await home.diary("new", "One", "-m", "x", "--template", "./my t.md")
    #expect(made.status == 0, "\(made)")
    let text = try await home.diary("show", "1").output
    #expect(text.contains("Mine.\nx\n"), "\(text)")
    let missing = try await home.diary("new", "Two", "-m", "x", "--template", "./none.md")
    #expect(missing.status == 1 && missing.errors.contains("cannot read ./none.md"), "\(missing)")
    try home.write("a\u{0}b", to: "bad.md")
    let bad = try await home.diary("new", "Two", "-m", "x", "--template", "./bad.md")
    #expect(bad.status == 1 && bad.errors.contains("the template ./bad.md has"), "\(bad)")
    #expect(try await home.diary("list", "--paths").output.split(separator: "\n").count == 1)
  }

  @Test func `a deletion lists the pictures that no entry shows any more`() async throws {
    for name in ["alone.jpg", "shared.jpg"] { try home.write(name, to: name) }
    try await home.diary(
      "new", "One", "-m", "x", "--attach", "alone.jpg", "--attach", "shared.jpg", "--date",
      "2026-01-02")
    let shared = home.files(in: "diary").first { $0.hasSuffix("shared.jpg") } ?? ""
    let folder = "2026/01/"
    try #require(shared.hasPrefix(folder))
    try await home.diary(
      "new", "Two", "-m", "![](\(shared.dropFirst(folder.count)))", "--date", "2026-01-03")
    let result = try await home.diary("delete", "--yes", "2026-01-02")
    #expect(result.status == 0, "\(result)")
    #expect(result.errors.contains("alone.jpg stays in the folder"), "\(result)")
    #expect(!result.errors.contains("shared.jpg"), "\(result)")
    #expect(home.files(in: "diary").contains { $0.hasSuffix("alone.jpg") })
  }
}
