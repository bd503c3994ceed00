import ArgumentParser
import DiaryCore
import DiaryKit

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "check", abstract: "Tell what in the entries a strict reader may trip over.")

  @Flag(help: "Mend what is safe: quotes for a strict reader; dates, with --date-from.")
  var fix = false
  @Option(
    name: .customLong("date-from"), parsing: .unconditional,
    help: ArgumentHelp("Where --fix takes a missing date from: git or mtime.", valueName: "source"))
  var dateFrom: String?
  @OptionGroup var output: OutputOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard let dateFrom else { return }
    guard fix else { throw ValidationError("--date-from goes with --fix") }
    guard Journal.DateSource(rawValue: dateFrom) != nil else {
      throw ValidationError("--date-from takes git or mtime, not \"\(dateFrom)\"")
    }
  }

  func run() async throws {
    let journal = try common.open(writing: fix)
    if fix { try await mend(journal) }
    let report = try await journal.check()
    if output.paths { return output.sayPaths(report.files.map(\.path), in: journal) }
    if output.json {
      let found = report.files.flatMap { file in
        file.lints.map { LintJSON(path: file.path.text, lint: $0) }
      }
      return Console.say(json: try EntryJSON.encoded(found))
    }
    for file in report.files {
      for lint in file.lints {
        let line = lint.line.map { ":\($0)" } ?? ""
        Console.say(
          "\(Console.shown(file.path.text))\(line): \(Console.shown(lint.message)) [\(lint.code)]")
      }
    }
    common.remark(
      report.files.isEmpty
        ? Console.counted(report.entries, "entry", "entries") + ", nothing to say."
        : "\(report.files.count) of \(Console.counted(report.entries, "entry", "entries")) "
          + (report.files.count == 1 ? "has" : "have") + " something to look at.")
  }

  private func mend(_ journal: Journal) async throws {
    let told = { (verb: String, path: EntryPath) in
      common.remark("\(verb) \(Console.named(path.text))")
    }
    for path in try await journal.fixQuotes() { told("Quoted in", path) }
    guard let source = dateFrom.flatMap(Journal.DateSource.init(rawValue:)) else { return }
    for path in try await journal.fixDates(from: source) { told("Dated", path) }
  }
}

/// One finding of `check --json`: the public form.
private struct LintJSON: Encodable {
  let path: String
  let lint: Lint

  enum CodingKeys: CodingKey { case path, line, code, message }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(path, forKey: .path)
    try values.encode(lint.line, forKey: .line)
    try values.encode(lint.code, forKey: .code)
    try values.encode(lint.message, forKey: .message)
  }
}
