import Foundation
import TestSupport
import Testing

/// The save sequences of programs that no test can start, run step by step and slower than in
/// reality: each intermediate state lasts longer than the settle time.
@Suite struct SavePatternTests {
  struct Pattern: Sendable {
    var program: String
    /// A shell script; `$new` is a file with the new text, and `rest` pauses.
    var save: String

    init(_ name: String, _ save: String) { (program, self.save) = (name, save) }
  }

  @Test func `one sitting is one commit of the final texts only`() async throws {
    let home = try Sandbox()
    home.setAutosave(settle: "100ms", longest: "5s", sitting: "4s")
    home.set("DIARY_STAMP", "new")
    try await home.diary("init", "j")
    for folder in Pattern.folders { try home.write("A walk.\n", to: "j/\(folder)/walk.md") }
    try await home.diary("save", in: "j")
    try await home.withWatcher(mustEnd: false) { watcher in
      for part in 1...3 {
        try home.write("A walk.\n" + String(repeating: "Part \(part).\n", count: part), to: "new")
        try await saveAll(home)
        // Most texts are saved meanwhile; whether all are makes no difference to the commit.
        try await Task.sleep(for: .milliseconds(300))
      }
      #expect(await watcher.prints("committed"), "\(watcher.output)")
      #expect(!watcher.output.contains("diary:"), "\(watcher.output)")
    }
    // The initial commit, the one of the first texts, and that of the sitting.
    #expect(try await home.git("rev-list", "--count", "HEAD", in: "j") == "3\n")
    let all = try await home.git("log", "--all", "-m", "--name-only", "--format=", in: "j")
    let names = Set(all.split(separator: "\n").map(String.init))
    #expect(
      names == Set(Pattern.folders.map { $0 + "/walk.md" } + [".diary/config.yml"]), "\(names)")
    for (folder, pattern) in zip(Pattern.folders, Pattern.all) {
      let last = "A walk.\nPart 3.\nPart 3.\nPart 3.\n"
      #expect(
        try await home.git("show", "HEAD:\(folder)/walk.md", in: "j") == last, "\(pattern.program)")
      #expect(try home.read("j/\(folder)/walk.md") == last, "\(pattern.program)")
      // The intermediate states, empty or missing, were never saved.
      let texts = try await home.git(
        "log", "--all", "-m", "-p", "--format=", "--", folder, in: "j")
      #expect(!texts.contains("\n-A walk."), "\(pattern.program): \(texts)")
    }
  }

  /// Saves `new` with every pattern, each in its own folder.
  private func saveAll(_ home: Sandbox) async throws {
    try await withThrowingTaskGroup { group in
      for (folder, pattern) in zip(Pattern.folders, Pattern.all) {
        group.addTask {
          let lines = "set -e; new=../../new; rest() { sleep 0.4; }; " + pattern.save
          let saved = try await home.run("sh", ["-c", lines], in: "j/" + folder)
          #expect(saved.status == 0, "\(pattern.program): \(saved)")
        }
      }
      try await group.waitForAll()
    }
  }
}

extension SavePatternTests.Pattern {
  static let folders = all.indices.map { "p\($0)" }

  static let all = [
    Self("VS Code: emptied, then written in place", ": > walk.md; rest; cat $new > walk.md"),
    Self("Obsidian: written in place", "cat $new > walk.md; rest"),
    Self(
      "gedit: a stream beside it takes its name",
      "cat $new > .goutputstream-Q3TRX2; rest; mv .goutputstream-Q3TRX2 walk.md"),
    Self(
      "gedit with a backup",
      "cat $new > .goutputstream-Q3TRX2; rest; cp walk.md walk.md~"
        + "; mv .goutputstream-Q3TRX2 walk.md"),
    Self(
      "Kate: a swap file, and a file with six letters more that takes its name",
      "echo swap > .walk.md.kate-swp; rest; cat $new > walk.md.Kq3TrX; mv walk.md.Kq3TrX walk.md"
        + "; rm .walk.md.kate-swp"),
    Self(
      "LibreOffice: a lock, and a temporary file",
      "echo me > .~lock.walk.md#; rest; cat $new > lu12345abc.tmp; rest"
        + "; mv lu12345abc.tmp walk.md; rm .~lock.walk.md#"),
    Self(
      "Syncthing", "cat $new > .syncthing.walk.md.tmp; rest; mv .syncthing.walk.md.tmp walk.md"),
    Self(
      "Syncthing on Windows' shares",
      "cat $new > '~syncthing~walk.md.tmp'; rest; mv '~syncthing~walk.md.tmp' walk.md"),
    Self(
      "Dropbox: from a folder of its own",
      "mkdir -p .dropbox.cache; cat $new > .dropbox.cache/a1b2; rest"
        + "; mv .dropbox.cache/a1b2 walk.md"),
    Self(
      "Nextcloud",
      "cat $new > .walk.md.~3f2a; rest; mv .walk.md.~3f2a walk.md; touch .sync_0a1b.db"),
    Self("rsync", "cat $new > .walk.md.h3Xy9Z; rest; mv .walk.md.h3Xy9Z walk.md"),
    Self("sed -i", "cat $new > sedh3Xy9Z; rest; mv sedh3Xy9Z walk.md"),
    Self("a browser's download", "cat $new > walk.md.part; rest; mv walk.md.part walk.md"),
    Self(
      "Word: an owner's file", "echo me > '~$walk.md'; rest; cat $new > walk.md; rm '~$walk.md'"),
    Self(
      "moved away, written anew, the old one removed (atomic on FAT)",
      "mv walk.md walk.md~; cat $new > walk.md; rm walk.md~"),
  ]
}
