import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "check",
    abstract: localized("Check entries for problems of header, links and merges."),
    discussion: localized(
      """
      Pictures and other files that no entry shows are listed, too. The exit code is 1 when there \
      are problems.
      """))

  @Flag(
    help: ArgumentHelp(
      localized(
        """
        Fix what is safe: headers that are not at the top, quotes, conflict copies (after asking), \
        dates (with --date-from).
        """)))
  var fix = false
  @Option(
    name: .customLong("date-from"), parsing: .unconditional,
    help: ArgumentHelp(
      localized("Where --fix gets a missing date from: git or mtime."), valueName: "source"))
  var dateFrom: String?
  @Flag(help: ArgumentHelp(localized("With --fix: merge conflict copies without asking.")))
  var yes = false
  @OptionGroup var output: OutputOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard fix || !yes else { throw ValidationError(localized("--yes needs --fix")) }
    guard let dateFrom else { return }
    guard fix else { throw ValidationError(localized("--date-from needs --fix")) }
    guard Entries.DateSource(rawValue: dateFrom) != nil else {
      throw ValidationError(localized("--date-from must be git or mtime, not \"\(dateFrom)\""))
    }
  }

  func run() async throws {
    let journal = try common.open(writing: fix)
    if fix { try await repair(journal) }
    let report = try await journal.entries.check()
    // A file that nothing shows is no problem, so it does not change the exit code.
    let unused = output.paths ? [] : try await journal.entries.unusedFiles()
    try await printReport(report, unused, in: journal)
    if !report.files.isEmpty { throw ExitCode(1) }
  }

  private func printReport(
    _ report: (files: [CheckedFile], entries: Int), _ unused: [CheckedFile], in journal: Journal
  ) async throws {
    if output.paths { return output.printPaths(report.files.map(\.path), in: journal) }
    if output.json {
      let found = (report.files + unused).flatMap { file in
        file.lints.map {
          DiagnosticJSON(
            path: file.path.text, line: $0.line, code: $0.code, message: $0.message)
        }
      }
      return Console.print(json: try EntryJSON.encoded(found))
    }
    for file in report.files + unused {
      for lint in file.lints {
        let line = lint.line.map { ":\($0)" } ?? ""
        Console.print(
          "\(Console.escapedOnTerminal(file.path.text))\(line): \(Console.escapedOnTerminal(lint.message)) [\(lint.code)]"
        )
      }
    }
    for ignored in try await journal.catalog.ignoredFiles() {
      common.printNotice(
        "\(Console.escaped(ignored.path.text)) \(Console.escaped(ignored.reason)).")
    }
    let copies = report.files.filter { $0.lints.contains { $0.code == "conflict-copy" } }.count
    if copies > 0 {
      common.printNotice(counted(copies, "conflict copy", "conflict copies") + ".")
    }
    let entries = counted(report.entries, "entry", "entries")
    let found = report.files.count - copies
    guard found == 0 else {
      return common.printNotice(
        counted(found, "of \(entries) has problems.", "of \(entries) have problems."))
    }
    common.printNotice(
      copies == 0
        ? localized("\(entries) checked, no problems.")
        : localized("\(entries) checked, no other problems."))
  }

  private func repair(_ journal: Journal) async throws {
    for path in try await journal.entries.fixHeaders() {
      common.printNotice(localized("Moved the header to the top in \(Console.escaped(path.text))"))
    }
    for path in try await journal.entries.fixQuotes() {
      common.printNotice(localized("Added quotes in \(Console.escaped(path.text))"))
    }
    for copy in try await journal.checkouts.conflictCopies() where journal.checkouts.isOfEntry(copy)
    {
      try await merge(copy, journal)
    }
    guard let source = dateFrom.flatMap(Entries.DateSource.init(rawValue:)) else { return }
    for path in try await journal.entries.fixDates(from: source) {
      common.printNotice(localized("Added the date to \(Console.escaped(path.text))"))
    }
  }
}

extension CheckCommand {
  private func merge(_ copy: ConflictCopy, _ journal: Journal) async throws {
    let (name, entry) = (Console.escaped(copy.path.text), Console.escaped(copy.original.text))
    if !yes {
      guard Console.canPrompt else {
        common.printNotice(
          localized("Not merged: \(name). Cannot ask for confirmation; use --yes."))
        return
      }
      let question = localized(
        "\(name) is a conflict copy of \(entry). Merge it and remove the copy?")
      guard Console.confirm(question, preset: true) else { return }
    }
    do {
      let (merge, outcome) = try await journal.checkouts.merge(copy)
      switch merge {
      case .merged(let keptBoth):
        common.printNotice(localized("Merged \(name) into \(entry)"))
        if keptBoth {
          common.printNotice(localized("\(entry) has both versions of a passage; please check it."))
        }
      case .alreadyContained:
        common.printNotice(localized("Removed \(name): \(entry) has all of its text"))
      case .becameEntry:
        common.printNotice(localized("Renamed \(name) to \(entry), which no longer existed"))
      }
      SaveReport.print(outcome, common)
    } catch {
      // A copy that cannot be merged does not stop the others.
      Console.printError(DiaryError(error))
    }
  }
}

/// A finding in `check --json`.
private struct DiagnosticJSON: Encodable {
  let path: String
  @Nullable var line: Int?
  let code: String
  let message: String
}
