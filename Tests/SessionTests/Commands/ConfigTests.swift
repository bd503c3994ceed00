import Foundation
import TestSupport
import Testing

/// Settings listed, shown and changed with `config`, and names for journals.
@Suite(.serialized) struct ConfigTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
  }

  @Test func `changing a setting changes nothing else in its file`() async throws {
    let mine = "# mine\neditor:   vim # good\n\nautosave:\n  # slow disk\n  settle: 5s\n"
    try home.write(mine, to: ".config/diary/config.yml")
    let shared = try home.read("j/.diary/config.yml")
    #expect(try await home.diary("config", "units", "imperial", in: "j").status == 0)
    #expect(try home.read("j/.diary/config.yml") == shared + "units: imperial\n")
    #expect(try await home.diary("config", "units", in: "j").output == "imperial\n")
    // The change is committed like any change by a command.
    #expect(try await home.git("status", "--porcelain", in: "j").isEmpty)
    #expect(try await home.diary("config", "autosave.files", "entries", in: "j").status == 0)
    #expect(try home.read(".config/diary/config.yml") == mine + "  files: entries\n")
    // A setting in the user's own file is changed there.
    #expect(try await home.diary("config", "autosave.settle", "3s", in: "j").status == 0)
    #expect(
      try home.read(".config/diary/config.yml")
        == mine.replacing("5s", with: "3s") + "  files: entries\n")
    for key in ["autosave.files", "autosave.settle"] {
      #expect(try await home.diary("config", "--unset", key, in: "j").status == 0)
    }
    #expect(
      try home.read(".config/diary/config.yml") == "# mine\neditor:   vim # good\n\n")
    #expect(try await home.diary("config", "units", "--unset", in: "j").status == 0)
    #expect(try home.read("j/.diary/config.yml") == shared)
  }

  @Test func `an invalid setting is refused and no file changes`() async throws {
    let shared = try home.read("j/.diary/config.yml")
    for (words, status, told) in [
      (["units", "big"], 64, "units must be one of metric, imperial, not \"big\""),
      (["unitz"], 64, "did you mean `units`?"),
      (["autosave.longest", "1s"], 1, "autosave.longest must not be shorter"),
      (["editor", "vi", "--shared"], 64, "editor is read only from your own settings"),
      (["editor"], 2, "editor is not set"),
    ] {
      let result = try await home.run("diary", ["config"] + words, in: "j")
      #expect(result.status == status && result.errors.contains(told), "\(words): \(result)")
    }
    #expect(try home.read("j/.diary/config.yml") == shared)
    #expect(!home.exists(".config/diary/config.yml"))
    try home.write("units: [\n", to: "j/.diary/config.yml")
    let result = try await home.diary("config", "template", "plain", in: "j")
    #expect(result.status == 1 && result.errors.contains("cannot change .diary/config.yml"))
    #expect(try home.read("j/.diary/config.yml") == "units: [\n")
  }

  @Test func `journals have names`() async throws {
    try await home.diary("new", "Walk", "-m", "Rain.", in: "j")
    let first = try await home.diary("-j", "work", "list")
    #expect(first.status == 64 && first.errors.contains("there is no journal named \"work\""))
    #expect(try await home.diary("config", "journals.work", "~/j").status == 0)
    #expect(try await home.diary("config", "journals").output == "work  ~/j\n")
    for words in [["-j", "work", "list"], ["list", "-j", "work"]] {
      let result = try await home.run("diary", words)
      #expect(result.status == 0 && result.output.contains("Walk"), "\(words): \(result)")
    }
    let other = try await home.diary("-j", "wrk", "list")
    #expect(other.errors.contains("known names: work"), "\(other)")
    let both = try await home.diary("-j", "work", "--journal", "j", "list")
    #expect(both.status == 64, "\(both)")
    #expect(try await home.diary("list").errors.contains("journals by name"), "nothing at ~/diary")
  }

  @Test func `init shows how to use its journal from any folder`() async throws {
    let first = try await home.diary("init", "notes")
    #expect(first.errors.contains("diary config journal ~/notes"), "\(first)")
    #expect(try await home.diary("config", "journal", "~/notes").status == 0)
    #expect(try await home.diary("list").status == 0)
    let second = try await home.diary("init", "travel")
    #expect(second.errors.contains("diary config journals.travel ~/travel"), "\(second)")
    #expect(!home.exists("diary"))
  }
}
