import Foundation
import TestSupport
import Testing

/// The manual pages, generated from the built program.
@Suite struct ManualTests {
  @Test func `every command has a manual page without errors`() async throws {
    let home = try Sandbox()
    let made = try await home.run(
      Project.root.path + "/packaging/man", [Sandbox.programs + "/diary", home.homePath + "/man"])
    try #require(made.status == 0, "\(made.errors)")
    let help = try await home.diary("help", "all").output
    let commands = help.matches(of: /\n  ([a-z][a-z-]+) +[^ ]/).map { String($0.1) }
    try #require(commands.count > 25)
    for folder in ["man1", "ko/man1"] {
      for command in commands where command != "help" {
        #expect(home.exists("man/\(folder)/diary-\(command).1"), "\(folder) \(command)")
      }
    }
    let pages = home.files(in: "man")
    #expect(pages.count > 60 && pages.contains("man5/diary-config.5"))
    for page in pages {
      let lint = try await home.run("mandoc", ["-Tlint", "-W", "warning", "man/" + page])
      #expect(lint.status == 0, "\(lint.output)")
      let groff = try await home.run(
        "groff", ["-ww", "-t", "-K", "utf8", "-man", "-Tutf8", "-z", "man/" + page])
      #expect(groff.status == 0 && groff.errors.isEmpty, "\(page): \(groff.errors)")
    }
    let text = try await home.run("mandoc", ["-Tutf8", "man/man1/diary-new.1"]).output
      .replacing(/.\u{8}/, with: "")
    #expect(text.contains("--template name") && !text.contains("*"), "\(text)")
    let config = try await home.run("mandoc", ["-Tutf8", "man/man5/diary-config.5"]).output
      .replacing(/.\u{8}/, with: "")
    #expect(config.contains("autosave.settle (default: 2s)"))
  }
}
