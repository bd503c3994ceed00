import ArgumentParser
import DiaryCore
import DiaryKit

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "check", abstract: "Tell what in the entries a strict reader may trip over.",
    discussion: "Ends with 1 when it finds something.")

  @Flag(
    help: """
      Mend what is safe: headers that are not at the top, quotes, conflict copies (after asking), \
      dates (with --date-from).
      """)
  var fix = false
  @Option(
    name: .customLong("date-from"), parsing: .unconditional,
    help: ArgumentHelp("Where --fix takes a missing date from: git or mtime.", valueName: "source"))
  var dateFrom: String?
  @Flag(help: "With --fix: merge conflict copies without asking.")
  var yes = false
  @OptionGroup var output: OutputOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard fix || !yes else { throw ValidationError("--yes goes with --fix") }
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
    try await tell(report, in: journal)
    if !report.files.isEmpty { throw ExitCode(1) }
  }

  private func tell(
    _ report: (files: [CheckedFile], entries: Int), in journal: Journal
  ) async throws {
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
    for left in try await journal.ignoredFiles() {
      common.remark("\(Console.named(left.path.text)) \(Console.named(left.reason)).")
    }
    let copies = report.files.filter { $0.lints.contains { $0.code == "conflict-copy" } }.count
    if copies > 0 {
      common.remark(Console.counted(copies, "conflict copy", "conflict copies") + ".")
    }
    let found = report.files.count - copies
    common.remark(
      found == 0
        ? Console.counted(report.entries, "entry", "entries") + ", nothing to say."
        : "\(found) of \(Console.counted(report.entries, "entry", "entries")) "
          + (found == 1 ? "has" : "have") + " something to look at.")
  }

  private func mend(_ journal: Journal) async throws {
    let told = { (verb: String, path: EntryPath) in
      common.remark("\(verb) \(Console.named(path.text))")
    }
    for path in try await journal.fixHeaders() { told("Put back the header of", path) }
    for path in try await journal.fixQuotes() { told("Quoted in", path) }
    for copy in try await journal.conflictCopies() where journal.isOfEntry(copy) {
      try await merge(copy, journal)
    }
    guard let source = dateFrom.flatMap(Journal.DateSource.init(rawValue:)) else { return }
    for path in try await journal.fixDates(from: source) { told("Dated", path) }
  }
}

extension CheckCommand {
  private func merge(_ copy: ConflictCopy, _ journal: Journal) async throws {
    let (name, entry) = (Console.named(copy.path.text), Console.named(copy.original.text))
    if !yes {
      guard Console.canAsk else {
        common.remark("Not merged: \(name), for nobody can be asked; add --yes to merge it.")
        return
      }
      let question = "\(name) is a conflict copy of \(entry). Merge it and remove the copy?"
      guard Console.agrees(question, preset: true) else { return }
    }
    do {
      let (merge, outcome) = try await journal.merge(copy)
      switch merge {
      case .merged(let keptBoth):
        common.remark("Merged \(name) into \(entry)")
        if keptBoth { common.remark("Both versions of something stand in \(entry): have a look.") }
      case .heldAll: common.remark("Removed \(name): \(entry) holds all of it")
      case .becameEntry: common.remark("Renamed \(name) to \(entry), which did not exist any more")
      }
      SaveReport.tell(outcome, common)
    } catch {
      // One that cannot be merged keeps none of the others from it.
      Console.tell(DiaryError(error))
    }
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
