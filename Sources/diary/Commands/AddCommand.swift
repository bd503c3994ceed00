import ArgumentParser
import DiaryCore
import DiaryKit

struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Append a paragraph to today's newest entry.",
    discussion: "Makes the entry when there is none today. Without TEXT it reads standard input.")

  @Argument(help: ArgumentHelp("The paragraph.", valueName: "text"))
  var text: [String] = []
  @Option(help: ArgumentHelp("The entry to append to.", valueName: "ref"))
  var to: String?
  @Flag(help: "Put the time before it.")
  var time = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    var paragraph = text.joined(separator: " ")
    if paragraph.isEmpty || paragraph == "-" {
      guard let input = try StandardInput.text() else {
        throw DiaryError("there is no text to add", kind: .usage, hint: "`diary add It rained.`")
      }
      paragraph = input
    }
    var target: EntryPath?
    if let to { target = try await journal.resolve(to, .newestOfDay).path }
    let added = try await journal.add(paragraph, to: target, withTime: time)
    SaveReport.tell(added.outcome, common)
    Console.say(journal.root + "/" + added.path.text)
  }
}
