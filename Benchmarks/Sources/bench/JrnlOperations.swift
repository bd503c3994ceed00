import Foundation
import Glibc

/// The comparisons with jrnl, which keeps a diary in one text file, if it is installed.
struct JrnlOperations {
  let pair: JournalPair
  private let folder: String
  /// A copy of the journal for new entries, which the next run must not contain.
  private var journal: String { folder + "/journal" }
  private let program: String

  /// Returns `nil` if jrnl is not installed.
  init?(pair: JournalPair) {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let candidates = path.split(separator: ":").map { "\($0)/jrnl" }
    let found = candidates.first { (place: String) in access(place, X_OK) == 0 }
    guard let found else { return nil }
    self.pair = pair
    program = found
    folder = pair.journal + "-jrnl"
    try? FileManager.default.removeItem(atPath: folder)
    makeFolder(folder)
    pair.world.command(["cp", "-a", pair.journal, journal], in: "/").runOrFail()
    write(
      "journals:\n  default:\n    journal: \(folder)/journal.txt\ntimeformat: '%F %H:%M'\n"
        + "version: v4.6\ncolors: {body: none, date: none, tags: none, title: none}\n"
        + "default_hour: 9\ndefault_minute: 0\neditor: ''\nencrypt: false\nhighlight: false\n"
        + "indent_character: '|'\nlinewrap: 79\ntagsymbols: '#@'\ntemplate: false\n",
      to: "jrnl.yaml")
    write(entries, to: "journal.txt")
  }

  /// All comparisons. ``removeCopy()`` removes the copy afterwards.
  var all: [Comparison] {
    let limits = [1_000: 0.2, 10_000: 0.1, 100_000: 0.1]
    return [
      Comparison(
        "list -n 10, beside jrnl", pair.diaryCommand("list", "-n", "10"),
        against: jrnlCommand("-n", "10", "--short"), "jrnl -n 10", limits: limits, rounds: 5),
      Comparison(
        "search, beside jrnl", pair.diaryCommand("search", "kingfisher"),
        against: jrnlCommand("-contains", "kingfisher", "--short"), "jrnl -contains",
        limits: limits, rounds: 5),
      Comparison(
        "one more entry, beside jrnl",
        pair.world.command(
          ["diary", "new", "One more", "--date", "2024-12-30 10:00", "-m", "And its words."],
          in: journal),
        against: jrnlCommand("2024-12-30 10:00: One more. And its words."), "jrnl", limits: limits,
        rounds: 5),
      Comparison(
        "export, beside jrnl",
        pair.diaryCommand("export", "--format", "jrnl", "--force", folder + "/diary.txt"),
        against: jrnlCommand("--export", "text", "--file", folder + "/jrnl.txt"), "jrnl --export",
        limits: [1_000: 0.2, 10_000: 0.2, 100_000: 0.2], rounds: 5),
    ]
  }

  func removeCopy() { try? FileManager.default.removeItem(atPath: folder) }

  private func jrnlCommand(_ arguments: String...) -> Command {
    pair.world.command([program, "--config-file", folder + "/jrnl.yaml"] + arguments, in: folder)
  }

  private func write(_ text: String, to name: String) {
    let data = Data(text.utf8)
    guard FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: data) else {
      fail("cannot write \(folder)/\(name)")
    }
  }

  /// All entries in jrnl's format.
  private var entries: String {
    let names = FileManager.default.enumerator(atPath: pair.plain)?.compactMap { $0 as? String }
    var found: [(date: Substring, text: String)] = []
    for name in (names ?? []) where name.hasSuffix(".md") {
      let text = try? String(contentsOfFile: "\(pair.plain)/\(name)", encoding: .utf8)
      guard let text, let date = text.firstRange(of: "date: "),
        let body = text.firstRange(of: "\n\n"),
        let title = text.firstRange(of: "title: ")
      else { continue }
      let moment = text[date.upperBound...].prefix(16)
      let line = text[title.upperBound...].prefix { $0 != "\n" }
      found.append(
        (moment, "[\(moment.replacing("T", with: " "))] \(line).\n\(text[body.upperBound...])\n"))
    }
    return found.sorted { $0.date < $1.date }.map(\.text).joined()
  }
}
