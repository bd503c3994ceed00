import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "add", abstract: localized("Append a paragraph to today's newest entry."),
    discussion: localized(
      "Creates an entry if there is none today. Without TEXT it reads standard input."))

  @Argument(help: ArgumentHelp(localized("The paragraph."), valueName: "text"))
  var text: [String] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(localized("The entry to append to."), valueName: "ref"))
  var to: String?
  @Flag(help: ArgumentHelp(localized("Put the time before it.")))
  var time = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    var paragraph = text.joined(separator: " ")
    if paragraph.isEmpty || paragraph == "-" {
      guard let input = try StandardInput.text() else {
        throw DiaryError(
          localized("there is no text to add"), kind: .usage,
          hint: localized("`diary add It rained.`"))
      }
      paragraph = input
    }
    do {
      let target = try await entry(of: journal)
      let added = try await journal.add(paragraph, to: target, withTime: time)
      SaveReport.tell(added.outcome, common)
      Console.say(Console.shown(journal.root + "/" + added.path.text))
    } catch {
      throw DiaryError(error).givingBack(paragraph)
    }
  }

  private func entry(of journal: Journal) async throws -> EntryPath? {
    guard let to else { return nil }
    return try await journal.resolve(to, .newestOfDay).path
  }
}

extension DiaryError {
  /// The error with the words that were to be written: what came through a pipe is nowhere else.
  func givingBack(_ text: String) -> DiaryError {
    guard !details.contains(where: { $0 == localized("the text: \(text)") }) else { return self }
    var error = self
    error.details.append(localized("the text: \(text)"))
    return error
  }
}
