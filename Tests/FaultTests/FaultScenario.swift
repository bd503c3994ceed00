import Foundation
import TestSupport
import Testing

/// A command and the journals in which it runs.
struct FaultScenario: Sendable, CustomTestStringConvertible {
  var name: String
  /// The arguments of `diary`.
  var arguments: [String]
  /// The working directory.
  var folder = "w/j"
  /// The journals of this scenario.
  var journals = ["w/j"]
  var prepare: @Sendable (Sandbox) async throws -> Void
  /// Texts that must stay in the files or in the history.
  var requiredTexts: [String]
  /// The deleted ones of these texts, which are in the history only.
  var deletedTexts: [String] = []
  /// Whether a second run of the command completes an interrupted one.
  var isRepeatable = false
  /// Whether the command commits the changes that it finds and makes.
  var isCommitting: Bool { name != "list" && name != "page" }

  var testDescription: String { name }

  static let journal = selection(from: [
    saving, listing, new, adding, renaming, deleting, restoring, importing, undoing, undoingRename,
    redoingRename, stamping, onePack, twoPacks, importingMany, importingPhotos, page,
  ])
  static let devices = selection(from: [fastForward, merging, pushing])

  /// The scenarios of a suite: all in the long form, else half of them, others for each seed.
  static func chosen(for suite: String) -> [FaultScenario] {
    let all = journal + devices
    let isOne = FaultJournal.environmentValue("DIARY_SCENE") != nil
    if FaultJournal.isExhaustive || isOne { return all }
    var random = SeededGenerator(part: suite)
    return Array(all.shuffled(using: &random).prefix(all.count / 2))
  }

  private static func selection(from scenes: [FaultScenario]) -> [FaultScenario] {
    let name = FaultJournal.environmentValue("DIARY_SCENE")
    return scenes.filter { name == nil || $0.name == name }
  }

  /// Three entries, saved.
  @Sendable static func makeThreeEntries(_ home: Sandbox) async throws {
    try await home.diary("init", "j", in: "w")
    try home.write(entry("river", day: 1), to: "w/j/2026/11/river.md")
    try home.write(entry("mountain", day: 2), to: "w/j/2026/11/mountain.md")
    try home.write(entry("harbour", day: 3), to: "w/j/2026/10/harbour.md")
    try await home.diary("save", in: "w/j")
  }

  static func entry(_ word: String, day: Int, _ more: String = "") -> String {
    "---\ntitle: The \(word)\ndate: 2026-11-0\(day)T10:00:00+09:00\n---\n\nOnce by the \(word).\n\(more)"
  }

  static let initialTexts = ["by the river", "by the mountain", "by the harbour"]

  static let saving = FaultScenario(
    name: "save", arguments: ["save"],
    prepare: { home in
      try await makeThreeEntries(home)
      try home.write(entry("river", day: 1, "\nAnd later a heron.\n"), to: "w/j/2026/11/river.md")
      try home.write(entry("attic", day: 4, "![](box.png)\n"), to: "w/j/2026/12/attic.md")
      try home.write("a picture", to: "w/j/2026/12/box.png")
      try FileManager.default.removeItem(atPath: home.homePath + "/w/j/2026/11/mountain.md")
    }, requiredTexts: initialTexts + ["a heron", "by the attic", "a picture"], isRepeatable: true)

  static let listing = FaultScenario(
    name: "list", arguments: ["list"],
    prepare: { home in
      try await makeThreeEntries(home)
      try home.write(entry("river", day: 1, "\nAnd a heron.\n"), to: "w/j/2026/11/river.md")
    }, requiredTexts: initialTexts + ["a heron"], isRepeatable: true)

  static let new = FaultScenario(
    name: "new",
    arguments: ["new", "An owl", "--date", "2026-11-05 10:00", "-m", "Heard at night."],
    prepare: makeThreeEntries, requiredTexts: initialTexts)

  static let adding = FaultScenario(
    name: "add", arguments: ["add", "--to", "The river", "And a heron."], prepare: makeThreeEntries,
    requiredTexts: initialTexts)

  static let renaming = FaultScenario(
    name: "rename", arguments: ["rename", "The river", "The brook"],
    prepare: { home in
      try await makeThreeEntries(home)
      try home.write(
        entry("attic", day: 4, "See [there](../11/river.md).\n"), to: "w/j/2026/12/attic.md")
      try home.write(entry("river", day: 1, "\nAnd a heron.\n"), to: "w/j/2026/11/river.md")
    }, requiredTexts: initialTexts + ["by the attic"])

  static let deleting = FaultScenario(
    name: "delete",
    arguments: ["delete", "--yes", "2026/11/river.md", "2026/10/harbour.md"],
    prepare: { home in
      try await makeThreeEntries(home)
      try home.write(entry("river", day: 1, "\nAnd a heron.\n"), to: "w/j/2026/11/river.md")
    }, requiredTexts: initialTexts)

  /// The web page saves an entry that an editor has just changed and that is not saved yet.
  static let page = FaultScenario(
    name: "page",
    arguments: [
      "PageWriter", "2026/11/river.md", "The brook", "Once by the river.\n\nAnd an otter.",
    ],
    prepare: { home in
      try await makeThreeEntries(home)
      try home.write(entry("river", day: 1, "\nAnd a heron.\n"), to: "w/j/2026/11/river.md")
    }, requiredTexts: initialTexts + ["a heron"], isRepeatable: true)

  static let restoring = FaultScenario(
    name: "restore", arguments: ["restore", "2026/11/river.md", "--at", "1"],
    prepare: { home in
      try await makeThreeEntries(home)
      try home.write(entry("river", day: 1, "\nAnd a heron.\n"), to: "w/j/2026/11/river.md")
      try await home.diary("save", in: "w/j")
      try home.write(entry("river", day: 1, "\nAnd an otter.\n"), to: "w/j/2026/11/river.md")
    }, requiredTexts: initialTexts + ["a heron"])

  static let importing = FaultScenario(
    name: "import", arguments: ["import", "../phone.json"],
    prepare: { home in
      try await makeThreeEntries(home)
      let items = (1...4).map {
        "{\"title\": \"Phone \($0)\", \"body\": \"Body \($0).\", \"created_at\": \(1_700_000_000 + $0)}"
      }
      try home.write("[" + items.joined(separator: ",") + "]", to: "w/phone.json")
    }, requiredTexts: initialTexts, isRepeatable: true)

  /// More files than one batch: the bytes of the first batch are flushed together, and then the
  /// files get their names.
  static let importingMany = FaultScenario(
    name: "import: many", arguments: ["import", "../phone.json"],
    prepare: { home in
      try await makeThreeEntries(home)
      let items = (1...70).map {
        "{\"title\": \"Phone \($0)\", \"body\": \"Body \($0).\","
          + " \"created_at\": \(1_700_000_000 + $0 * 500_000)}"
      }
      try home.write("[" + items.joined(separator: ",") + "]", to: "w/phone.json")
    }, requiredTexts: initialTexts, isRepeatable: true)

  /// Entries whose photos are extracted from an archive.
  static let importingPhotos = FaultScenario(
    name: "import: photos", arguments: ["import", "../photos.zip"],
    prepare: { home in
      try await makeThreeEntries(home)
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
    }, requiredTexts: initialTexts, isRepeatable: true)

  static let undoing = FaultScenario(
    name: "undo", arguments: ["undo", "--yes"],
    prepare: { home in
      try await importing.prepare(home)
      try await home.diary("import", "../phone.json", in: "w/j")
    }, requiredTexts: initialTexts + ["Body 1.", "Body 4."])

  /// One file is restored, one is removed, and the links in a third are reverted.
  static let undoingRename = FaultScenario(
    name: "undo: rename", arguments: ["undo", "--yes"],
    prepare: { home in
      try await renaming.prepare(home)
      try await home.diary("rename", "The river", "The brook", in: "w/j")
    }, requiredTexts: initialTexts + ["a heron", "by the attic"])

  static let redoingRename = FaultScenario(
    name: "redo: rename", arguments: ["redo", "--yes"],
    prepare: { home in
      try await undoingRename.prepare(home)
      try await home.diary("undo", "--yes", in: "w/j")
    }, requiredTexts: initialTexts + ["a heron", "by the attic"])
}

extension FaultScenario {
  /// Two devices with the same journal, and a remote.
  @Sendable static func makeTwoDevices(_ home: Sandbox) async throws {
    try await home.git("init", "-q", "--bare", "remote.git", in: "w")
    try await home.diary("init", "a", "--remote", "remote.git", in: "w")
    try await home.diary("clone", "remote.git", "b", in: "w")
    try home.write(entry("river", day: 1), to: "w/a/2026/11/river.md")
    try home.write(entry("harbour", day: 2), to: "w/a/2026/11/harbour.md")
    try home.write(entry("attic", day: 3), to: "w/a/2026/11/attic.md")
    for device in ["a", "b", "a"] { try await home.diary("sync", in: "w/" + device) }
  }

  /// Device b has written and pushed.
  @Sendable static func makeRemoteChange(_ home: Sandbox) async throws {
    try await makeTwoDevices(home)
    try home.write(entry("river", day: 1, "\nA heron, said b.\n"), to: "w/b/2026/11/river.md")
    try home.write(entry("cellar", day: 4), to: "w/b/2026/12/cellar.md")
    try FileManager.default.removeItem(atPath: home.homePath + "/w/b/2026/11/attic.md")
    try await home.diary("sync", in: "w/b")
  }

  static let initialDeviceTexts = ["by the river", "by the harbour", "by the attic"]

  private static func sync(
    _ name: String, requiredTexts: [String],
    _ prepare: @escaping @Sendable (Sandbox) async throws -> Void
  ) -> FaultScenario {
    FaultScenario(
      name: name, arguments: ["sync"], folder: "w/a", journals: ["w/a", "w/b"], prepare: prepare,
      requiredTexts: initialDeviceTexts + requiredTexts, deletedTexts: ["by the attic"],
      isRepeatable: true)
  }

  static let fastForward = sync(
    "sync: fast-forward", requiredTexts: ["said b", "by the cellar"], makeRemoteChange)

  static let merging = sync(
    "sync: merge", requiredTexts: ["said b", "by the cellar", "said a", "by the bridge"]
  ) { home in
    try await makeRemoteChange(home)
    try home.write(
      entry("river", day: 1).replacing("Once", with: "Twice, said a,"), to: "w/a/2026/11/river.md")
    try home.write(entry("bridge", day: 5), to: "w/a/2026/12/bridge.md")
    try home.write(entry("harbour", day: 2, "\nBoats, said a.\n"), to: "w/a/2026/11/harbour.md")
  }

  static let pushing = sync("sync: push", requiredTexts: ["said a"]) { home in
    try await makeTwoDevices(home)
    try home.write(entry("harbour", day: 2, "\nBoats, said a.\n"), to: "w/a/2026/11/harbour.md")
  }
}
