import Foundation
import TestSupport
import Testing

/// `export book.pdf`, printed by the real Chromium, as a user who is not root.
@Suite struct PDFTests {
  /// Runs `diary` in the journal as a user without privileges.
  private func diary(_ home: Sandbox, _ arguments: String...) async throws -> Sandbox.ProgramResult
  {
    let program = Sandbox.programs + "/diary"
    guard geteuid() == 0 else { return try await home.run(program, arguments, in: "j") }
    // The folder of the build may be closed to that user.
    let copy = home.homePath + "/diary"
    if !home.exists("diary") {
      try FileManager.default.copyItem(atPath: program, toPath: copy)
    }
    _ = try await home.run("chown", ["-R", "65534:65534", home.homePath])
    return try await home.run(
      "setpriv", ["--reuid=65534", "--regid=65534", "--clear-groups", copy] + arguments, in: "j")
  }

  private func text(_ home: Sandbox, _ name: String) async throws -> String {
    try await home.run("pdftotext", ["-layout", name, "-"]).output
  }

  @Test func `a book has a cover, months, page numbers, pictures and links`() async throws {
    let home = try Sandbox()
    try await home.diary("init", "j")
    try home.write(
      "---\ndate: 2026-10-02T19:30:00+09:00\n---\n# Soup\n\nLeeks. ![pot](pot.png) "
        + "![x](file:///etc/passwd) ![y](http://127.0.0.1:1/z.png)\n", to: "j/2026-10-02-soup.md")
    let red = try #require(
      Data(
        base64Encoded:
          "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
      ))
    try red.write(to: URL(fileURLWithPath: home.homePath + "/j/pot.png"))
    try home.write(
      "---\ndate: 2026-11-20\n---\n# Walk\n\nSee [soup](2026-10-02-soup.md).\n",
      to: "j/2026-11-20-walk.md")
    try home.write("Without a date.\n", to: "j/note.md")
    let made = try await diary(home, "export", "--title", "My <Book> \"1\"", "../book.pdf")
    #expect(made.status == 0, "\(made.errors)")
    let attributes = try FileManager.default.attributesOfItem(atPath: home.homePath + "/book.pdf")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let text = try await text(home, "book.pdf")
    let pages = text.split(separator: "\u{C}").map(String.init)
    try #require(pages.count == 4, "\(text)")
    #expect(pages[0].contains("My <Book> \"1\"") && pages[0].contains("2026-10 – 2026-11"))
    // The month above the page, and its heading.
    #expect(pages[1].components(separatedBy: "2026-10").count >= 3, "\(pages[1])")
    #expect(pages[1].contains("Leeks."))
    let last = pages[2].split(separator: "\n").last?.trimmingCharacters(in: .whitespaces)
    #expect(pages[2].contains("See soup.") && last == "3", "\(pages[2])")
    #expect(pages[3].contains("Without a date."))
    #expect(!text.contains("root:"))
    let pictures = try await home.run("pdfimages", ["-list", "book.pdf"]).output
    #expect(pictures.split(separator: "\n").count >= 3, "\(pictures)")
    // No profile and no page stay behind.
    let state = try FileManager.default.contentsOfDirectory(atPath: home.homePath + "/j/.git/diary")
    #expect(!state.contains { $0.contains("export.") })
    let again = try await diary(home, "export", "../book.pdf")
    #expect(again.status != 0 && again.errors.contains("--force"))
    #expect(try await diary(home, "export", "--force", "../book.pdf").status == 0)
  }

  @Test func `every Korean syllable comes back from the PDF`() async throws {
    let home = try Sandbox()
    home.set("LANG", "ko_KR.UTF-8")
    try await home.diary("init", "j")
    let syllables = (0xAC00...0xD7A3).compactMap { Unicode.Scalar($0).map(Character.init) }
    let lines = stride(from: 0, to: syllables.count, by: 20).map { start in
      String(syllables[start..<min(start + 20, syllables.count)])
    }
    try home.write(
      "---\ndate: 2026-11-20\n---\n# 글자\n\n" + lines.joined(separator: "\n\n") + "\n",
      to: "j/2026-11-20.md")
    let made = try await diary(home, "export", "../책.pdf")
    #expect(made.status == 0, "\(made.errors)")
    let text = try await text(home, "책.pdf").precomposedStringWithCanonicalMapping
    let missing = Set(syllables).subtracting(text)
    #expect(missing.isEmpty, "\(missing.count): \(String(missing.prefix(40)))")
    #expect(text.contains("2026년 11월"))
  }

  @Test func `without a printer the book stays as HTML, the same each time`() async throws {
    let home = try Sandbox()
    try await home.diary("init", "j")
    try home.write(
      "---\ndate: 2026-11-20\n---\n# Walk\n\n![x](file:///etc/passwd) <img src=x> text\n",
      to: "j/a.md")
    // Chromium is not where this PATH leads.
    let bin = home.homePath + "/bin"
    try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
    for name in ["git", "sh"] {
      let real = try await home.run("which", [name]).output.filter { $0 != "\n" }
      try FileManager.default.createSymbolicLink(
        atPath: bin + "/" + name, withDestinationPath: real)
    }
    home.set("PATH", bin)
    let made = try await home.diary("export", "../a.pdf", in: "j")
    #expect(made.status == 1)
    #expect(made.errors.contains("Chromium is not installed"), "\(made.errors)")
    #expect(made.errors.contains("../a.pdf.html"))
    #expect(!home.exists("a.pdf"))
    let page = try home.read("a.pdf.html")
    #expect(page.contains("<h2>Walk</h2>"))
    #expect(!page.contains("<img"))
    // A file that nobody named is not replaced.
    let other = try await home.diary("export", "--force", "../a.pdf", in: "j")
    #expect(other.status == 1 && other.errors.contains("../a.pdf-2.html"), "\(other.errors)")
    #expect(try home.read("a.pdf-2.html") == page)
    let attributes = try FileManager.default.attributesOfItem(
      atPath: home.homePath + "/a.pdf-2.html")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test(.enabled(if: geteuid() == 0)) func `root prints no book`() async throws {
    let home = try Sandbox()
    try await home.diary("init", "j")
    try home.write("one\n", to: "j/a.md")
    let made = try await home.diary("export", "../a.pdf", in: "j")
    #expect(made.status == 1 && made.errors.contains("does not run as root"), "\(made.errors)")
    #expect(home.exists("a.pdf.html") && !home.exists("a.pdf"))
  }
}
