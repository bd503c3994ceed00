import ArgumentParser
import DiaryKit
import Foundation

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Take in another diary.",
    discussion: """
      FILE is the JSON that phone diaries export: [{"title": …, "body": …, "created_at": UNIX SECONDS}]. \
      A second import of the same file adds nothing.
      """)

  @Argument(help: ArgumentHelp("The file; - reads standard input.", valueName: "file"))
  var file: String
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    let data: Data
    if file == "-" {
      data = FileHandle.standardInput.readDataToEndOfFile()
    } else {
      do {
        data = try Data(contentsOf: URL(fileURLWithPath: journal.surroundings.absolute(file)))
      } catch {
        throw DiaryError("cannot read \(file)", hint: "is the path right, and may you read it?")
      }
    }
    let bar = ProgressLine("Importing")
    defer { bar.end() }
    let outcome = try await journal.importEntries(from: Array(data), named: file) {
      bar.update($0, $1)
    }
    bar.end()
    SaveReport.tell(outcome.save, common)
    let known = outcome.known > 0 ? ", \(outcome.known) were here already" : ""
    Console.say("Imported \(outcome.added.count) entries\(known).")
  }
}
