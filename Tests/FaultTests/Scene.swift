import Foundation
import TestSupport
import Testing

/// A command and the world in which it runs.
struct Scene: Sendable, CustomTestStringConvertible {
  var name: String
  /// What `diary` is told.
  var words: [String]
  /// Where it runs.
  var folder = "w/j"
  /// The journals of this world.
  var journals = ["w/j"]
  var prepare: @Sendable (Sandbox) async throws -> Void
  /// Said by somebody and taken back by nobody: in the files or in the history ever after.
  var kept: [String]
  /// Of these, what somebody has deleted: in the history alone.
  var takenBack: [String] = []
  /// Whether the command, run again, ends what was begun.
  var isRepeatable = false
  /// Whether the command commits what it finds and writes.
  var saves: Bool { name != "list" && name != "page" }

  var testDescription: String { name }

  static let journal = chosen([
    saving, listing, new, adding, renaming, deleting, restoring, importing, undoing, undoingRename,
    pruning, stamping, packing, sharing, importingMany, importingPhotos, page,
  ])
  static let devices = chosen([fastForward, merging, pushing])

  private static func chosen(_ scenes: [Scene]) -> [Scene] {
    let name = FaultWorld.only("DIARY_SCENE")
    return scenes.filter { name == nil || $0.name == name }
  }

  /// Three entries, saved.
  @Sendable static func begun(_ home: Sandbox) async throws {
    try await home.diary("init", "j", in: "w")
    try home.write(entry("river", day: 1), to: "w/j/2026/11/river.md")
    try home.write(entry("mountain", day: 2), to: "w/j/2026/11/mountain.md")
    try home.write(entry("harbour", day: 3), to: "w/j/2026/10/harbour.md")
    try await home.diary("save", in: "w/j")
  }

  static func entry(_ word: String, day: Int, _ more: String = "") -> String {
    "---\ntitle: The \(word)\ndate: 2026-11-0\(day)T10:00:00+09:00\n---\n\nOnce by the \(word).\n\(more)"
  }

  static let begunWords = ["by the river", "by the mountain", "by the harbour"]

  static let saving = Scene(
    name: "save", words: ["save"],
    prepare: { home in
      try await begun(home)
      try home.write(entry("river", day: 1, "\nAnd later a heron.\n"), to: "w/j/2026/11/river.md")
      try home.write(entry("attic", day: 4, "![](box.png)\n"), to: "w/j/2026/12/attic.md")
      try home.write("a picture", to: "w/j/2026/12/box.png")
      try FileManager.default.removeItem(atPath: home.home + "/w/j/2026/11/mountain.md")
    }, kept: begunWords + ["a heron", "by the attic", "a picture"], isRepeatable: true)

  static let listing = Scene(
    name: "list", words: ["list"],
    prepare: { home in
      try await begun(home)
      try home.write(entry("river", day: 1, "\nAnd a heron.\n"), to: "w/j/2026/11/river.md")
    }, kept: begunWords + ["a heron"], isRepeatable: true)

  static let new = Scene(
    name: "new", words: ["new", "An owl", "--date", "2026-11-05 10:00", "-m", "Heard at night."],
    prepare: begun, kept: begunWords)

  static let adding = Scene(
    name: "add", words: ["add", "--to", "The river", "And a heron."], prepare: begun,
    kept: begunWords)

  static let renaming = Scene(
    name: "rename", words: ["rename", "The river", "The brook"],
    prepare: { home in
      try await begun(home)
      try home.write(
        entry("attic", day: 4, "See [there](../11/river.md).\n"), to: "w/j/2026/12/attic.md")
      try home.write(entry("river", day: 1, "\nAnd a heron.\n"), to: "w/j/2026/11/river.md")
    }, kept: begunWords + ["by the attic"])

  static let deleting = Scene(
    name: "delete",
    words: ["delete", "--yes", "2026/11/river.md", "2026/10/harbour.md"],
    prepare: { home in
      try await begun(home)
      try home.write(entry("river", day: 1, "\nAnd a heron.\n"), to: "w/j/2026/11/river.md")
    }, kept: begunWords)

  /// A page takes out what an editor has just written and nobody has saved, and adds words.
  static let page = Scene(
    name: "page",
    words: [
      "PageWriter", "2026/11/river.md", "The brook", "Once by the river.\n\nAnd an otter.",
    ],
    prepare: { home in
      try await begun(home)
      try home.write(entry("river", day: 1, "\nAnd a heron.\n"), to: "w/j/2026/11/river.md")
    }, kept: begunWords + ["a heron"], isRepeatable: true)

  static let restoring = Scene(
    name: "restore", words: ["restore", "2026/11/river.md", "--at", "1"],
    prepare: { home in
      try await begun(home)
      try home.write(entry("river", day: 1, "\nAnd a heron.\n"), to: "w/j/2026/11/river.md")
      try await home.diary("save", in: "w/j")
      try home.write(entry("river", day: 1, "\nAnd an otter.\n"), to: "w/j/2026/11/river.md")
    }, kept: begunWords + ["a heron"])

  static let importing = Scene(
    name: "import", words: ["import", "../phone.json"],
    prepare: { home in
      try await begun(home)
      let items = (1...4).map {
        "{\"title\": \"Phone \($0)\", \"body\": \"Body \($0).\", \"created_at\": \(1_700_000_000 + $0)}"
      }
      try home.write("[" + items.joined(separator: ",") + "]", to: "w/phone.json")
    }, kept: begunWords, isRepeatable: true)

  /// More than are made at once: the bytes of the first are on the disk together, and then they get
  /// their names.
  static let importingMany = Scene(
    name: "import: many", words: ["import", "../phone.json"],
    prepare: { home in
      try await begun(home)
      let items = (1...70).map {
        "{\"title\": \"Phone \($0)\", \"body\": \"Body \($0).\","
          + " \"created_at\": \(1_700_000_000 + $0 * 500_000)}"
      }
      try home.write("[" + items.joined(separator: ",") + "]", to: "w/phone.json")
    }, kept: begunWords, isRepeatable: true)

  /// Entries whose photos come out of an archive.
  static let importingPhotos = Scene(
    name: "import: photos", words: ["import", "../photos.zip"],
    prepare: { home in
      try await begun(home)
      let items = (1...3).map {
        "{\"uuid\":\"U\($0)\",\"creationDate\":\"2025-01-0\($0)T03:00:00Z\",\"timeZone\":\"Asia/Seoul\","
          + "\"text\":\"Day One \($0). ![](dayone-moment://P\($0))\",\"photos\":"
          + "[{\"identifier\":\"P\($0)\",\"md5\":\"a\($0)\",\"type\":\"png\"}]}"
      }
      try home.write(
        "{\"entries\":[" + items.joined(separator: ",") + "]}", to: "w/x/Journal.json")
      for number in 1...3 {
        try home.write(
          String(repeating: "photo \(number) ", count: 20_000), to: "w/x/photos/a\(number).png")
      }
      try await home.run("zip", ["-q", "-r", "../photos.zip", "."], in: "w/x")
    }, kept: begunWords, isRepeatable: true)

  static let undoing = Scene(
    name: "undo", words: ["undo", "--yes"],
    prepare: { home in
      try await importing.prepare(home)
      try await home.diary("import", "../phone.json", in: "w/j")
    }, kept: begunWords + ["Body 1.", "Body 4."])

  /// One file comes back, one goes, and the links in a third are put back.
  static let undoingRename = Scene(
    name: "undo: rename", words: ["undo", "--yes"],
    prepare: { home in
      try await renaming.prepare(home)
      try await home.diary("rename", "The river", "The brook", in: "w/j")
    }, kept: begunWords + ["a heron", "by the attic"])

  /// Single saves of last year: the next save forgets those that the branch has as well.
  static let pruning = Scene(
    name: "prune", words: ["save"],
    prepare: { home in
      try await begun(home)
      for part in 1...3 {
        try home.write(entry("river", day: 1, "Part \(part).\n"), to: "w/j/2026/11/river.md")
        try await home.diary("save", in: "w/j")
      }
      let age = try home.script(
        "age",
        """
        export GIT_COMMITTER_DATE="2025-01-01T00:00:00Z"
        ref=refs/diary/saves/main/main
        last=
        for save in $(git rev-list --first-parent --reverse $ref); do
          set -- $(git rev-list --parents -n 1 $save)
          case "$(git log -1 --format=%s $save)" in "") ;; esac
          shift
          [ $# -ge 1 ] && git merge-base --is-ancestor $save main && continue
          parents=
          first=$last
          for parent in "$@"; do
            if git merge-base --is-ancestor $parent main; then parents="$parents -p $parent"
            elif [ -n "$first" ]; then parents="$parents -p $first"; fi
          done
          last=$(git log -1 --format=%B $save | git commit-tree $save^{tree} $parents)
        done
        git update-ref $ref $last
        rm -f .git/diary/pruned.json

        """)
      let aged = try await home.run(age, [], in: "w/j")
      #expect(aged.status == 0, "\(aged.errors)")
    }, kept: begunWords + ["Part 1.", "Part 2.", "Part 3."], isRepeatable: true)
}

extension Scene {
  /// Two devices with the same journal, a remote between them.
  @Sendable static func joined(_ home: Sandbox) async throws {
    try await home.git("init", "-q", "--bare", "remote.git", in: "w")
    try await home.diary("init", "a", "--remote", "remote.git", in: "w")
    try await home.diary("clone", "remote.git", "b", in: "w")
    try home.write(entry("river", day: 1), to: "w/a/2026/11/river.md")
    try home.write(entry("harbour", day: 2), to: "w/a/2026/11/harbour.md")
    try home.write(entry("attic", day: 3), to: "w/a/2026/11/attic.md")
    for device in ["a", "b", "a"] { try await home.diary("sync", in: "w/" + device) }
  }

  /// What device b wrote, and sent.
  @Sendable static func answered(_ home: Sandbox) async throws {
    try await joined(home)
    try home.write(entry("river", day: 1, "\nA heron, said b.\n"), to: "w/b/2026/11/river.md")
    try home.write(entry("cellar", day: 4), to: "w/b/2026/12/cellar.md")
    try FileManager.default.removeItem(atPath: home.home + "/w/b/2026/11/attic.md")
    try await home.diary("sync", in: "w/b")
  }

  static let devicesWords = ["by the river", "by the harbour", "by the attic"]

  private static func sync(
    _ name: String, kept: [String], _ prepare: @escaping @Sendable (Sandbox) async throws -> Void
  ) -> Scene {
    Scene(
      name: name, words: ["sync"], folder: "w/a", journals: ["w/a", "w/b"], prepare: prepare,
      kept: devicesWords + kept, takenBack: ["by the attic"], isRepeatable: true)
  }

  static let fastForward = sync(
    "sync: fast-forward", kept: ["said b", "by the cellar"], answered)

  static let merging = sync(
    "sync: merge", kept: ["said b", "by the cellar", "said a", "by the bridge"]
  ) { home in
    try await answered(home)
    try home.write(
      entry("river", day: 1).replacing("Once", with: "Twice, said a,"), to: "w/a/2026/11/river.md")
    try home.write(entry("bridge", day: 5), to: "w/a/2026/12/bridge.md")
    try home.write(entry("harbour", day: 2, "\nBoats, said a.\n"), to: "w/a/2026/11/harbour.md")
  }

  static let pushing = sync("sync: push", kept: ["said a"]) { home in
    try await joined(home)
    try home.write(entry("harbour", day: 2, "\nBoats, said a.\n"), to: "w/a/2026/11/harbour.md")
  }
}
