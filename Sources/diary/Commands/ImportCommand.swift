import ArgumentParser
import DiaryKit
import Foundation
import Localization

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "import", abstract: localized("Import entries from another app."),
    discussion: localized(
      """
      FILE is the JSON that phone diaries export: [{"title": …, "body": …, "created_at": UNIX SECONDS}]. \
      Importing the same file twice adds nothing.
      """))

  @Argument(help: ArgumentHelp(localized("The file; - reads standard input."), valueName: "file"))
  var file: String
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    let bytes =
      file == "-"
      ? Array(FileHandle.standardInput.readDataToEndOfFile())
      : try journal.environment.contents(of: file)
    let bar = ProgressLine(localized("Importing"))
    defer { bar.end() }
    let outcome = try await journal.importEntries(from: bytes, named: file) {
      bar.update($0, $1)
    }
    bar.end()
    SaveReport.tell(outcome.save, common)
    let known =
      outcome.known > 0
      ? localized(", \(outcome.known) already here") : ""
    Console.say(localized("Imported \(counted(outcome.added.count, "entry", "entries"))\(known)."))
  }
}
