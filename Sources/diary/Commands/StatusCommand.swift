import ArgumentParser
import DiaryCore
import DiaryKit

struct StatusCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "What is unsaved, waiting, staged by you, or owed.")

  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let status = try await common.open().status()
    if json { return Console.write(try EntryJSON.encoded(StatusJSON(status)), to: 1) }
    let locale = ReaderLocale()
    Console.say(
      Console.styled(Console.shown(status.root), .bold) + "  "
        + Console.counted(status.entries, "entry", "entries"))
    row("watcher", status.watcher.map { "runs (\($0))" } ?? "none; `diary watch` starts one")
    row("last save", status.lastSave.map { locale.text(of: $0) } ?? "none yet")
    row("weather", status.weather + (status.weatherTrouble.map { "; " + $0 } ?? ""))
    row("branch", status.branch)
    rows("unsaved", status.unsaved)
    if let since = status.pendingSince {
      row("in a sitting", "\(status.pending.count) since \(locale.text(of: since))")
    }
    if let waiting = status.waiting {
      let since = status.waitingSince.map { ", since " + locale.text(of: $0) } ?? ""
      row("branch waits", waiting + since)
    }
    rows("staged by you", status.stagedByWriter)
    rows("stamp owed", status.owed)
    rows("not saved", status.leftOut.map { "\($0.path.text) \($0.reason)" })
    SaveReport.missing(status.missing, common)
  }

  private func row(_ name: String, _ text: String) {
    let line = "  " + name + EntryTable.blanks(15 - name.count) + Console.shown(text)
    let lines = Console.isTerminal ? Prose.wrapped(line, width: Console.width, indent: 17) : [line]
    for line in lines { Console.say(line) }
  }

  private func rows(_ name: String, _ paths: [EntryPath]) { rows(name, paths.map(\.text)) }

  private func rows(_ name: String, _ texts: [String]) {
    for (index, text) in texts.prefix(10).enumerated() { row(index == 0 ? name : "", text) }
    if texts.count > 10 { row("", "and \(texts.count - 10) more") }
  }
}

/// `status --json`: the public form.
struct StatusJSON: Encodable {
  let journal: String
  let entries: Int
  let watching: Bool
  let branch: String
  let unsaved: [String]
  let pending: [String]
  let waiting: String?
  let staged: [String]
  let missing: [String]
  let owed: [String]
  let last_save: String?

  init(_ status: JournalStatus) {
    journal = status.root
    entries = status.entries
    watching = status.watcher != nil
    branch = status.branch
    unsaved = status.unsaved.map(\.text)
    pending = status.pending.map(\.text)
    waiting = status.waiting
    staged = status.stagedByWriter.map(\.text)
    missing = status.missing.map(\.text)
    owed = status.owed.map(\.text)
    last_save = status.lastSave.flatMap { EntryDate(instant: $0, offset: 0)?.description }
  }

  enum CodingKeys: CodingKey {
    case journal, entries, watching, branch, unsaved, pending, waiting, staged, missing, owed
    case last_save
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(journal, forKey: .journal)
    try values.encode(entries, forKey: .entries)
    try values.encode(watching, forKey: .watching)
    try values.encode(branch, forKey: .branch)
    try values.encode(unsaved, forKey: .unsaved)
    try values.encode(pending, forKey: .pending)
    try values.encode(waiting, forKey: .waiting)
    try values.encode(staged, forKey: .staged)
    try values.encode(missing, forKey: .missing)
    try values.encode(owed, forKey: .owed)
    try values.encode(last_save, forKey: .last_save)
  }
}
