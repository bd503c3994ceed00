import ArgumentParser
import DiaryCore
import DiaryKit

struct CheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Tell what in the entries a strict reader may trip over.")

  @Flag(help: "Write dates into undated entries (with --date-from).")
  var fix = false
  @Option(
    name: .customLong("date-from"),
    help: ArgumentHelp("Where a missing date comes from: git or mtime.", valueName: "source"))
  var dateFrom: String?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if fix != (dateFrom != nil) {
      throw ValidationError("--fix goes with --date-from=git or =mtime")
    }
  }

  func run() async throws {
    let journal = try common.open(writing: fix)
    if fix {
      guard let source = dateFrom.flatMap(Journal.DateSource.init(rawValue:)) else {
        throw DiaryError("--date-from takes git or mtime", kind: .usage)
      }
      for path in try await journal.fixDates(from: source) {
        Console.say("Dated \(Console.shown(path.text))")
      }
    }
    let report = try await journal.check()
    for file in report.files {
      for lint in file.lints {
        let line = lint.line.map { ":\($0)" } ?? ""
        Console.say(
          "\(Console.shown(file.path.text))\(line): \(Console.shown(lint.message)) [\(lint.code)]")
      }
    }
    common.remark(
      report.files.isEmpty
        ? "\(report.entries) entries, nothing to say."
        : "\(report.files.count) of \(report.entries) entries have something to look at.")
  }
}
