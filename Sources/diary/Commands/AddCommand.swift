import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct AddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "add", abstract: localized("Append a paragraph to today's newest entry."),
    discussion: localized(
      """
      Creates an entry if there is none on that day. Without TEXT it reads standard input: type \
      `diary add` alone for a text with apostrophes, quotes, ?, !, * or &, which a shell changes. In \
      zsh, alias diary='noglob diary' lets ? and * pass.
      """))

  @Argument(help: ArgumentHelp(localized("The paragraph."), valueName: "text"))
  var text: [String] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(localized("The entry to append to."), valueName: "ref"))
  var to: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      localized("Append to the newest entry of another day: yesterday, 2026-11-20, …"),
      valueName: "when"))
  var date: String?
  @OptionGroup var entryOptions: EntryOptions
  @Flag(help: ArgumentHelp(localized("Begin with the time.")))
  var time = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if to != nil, date != nil {
      throw ValidationError(localized("choose one of --to and --date"))
    }
  }

  func run() async throws {
    let journal = try common.open(writing: true)
    var addition = entryOptions.newEntry
    addition.date = try date.map { try journal.catalog.entryDate(of: $0) }
    addition.message = try paragraph(isRequired: entryOptions.isEmpty)
    do {
      let target = try await entry(of: journal)
      let added = try await journal.entries.add(addition, to: target, withTime: time)
      SaveReport.print(added.outcome, common)
      Console.print(added.path, in: journal)
      OnThisDayCommand.printEarlierYears(in: journal, common)
    } catch {
      guard let text = addition.message else { throw error }
      throw DiaryError(error).includingInput(text)
    }
  }

  /// The text from the command line, or else from standard input.
  private func paragraph(isRequired: Bool) throws -> String? {
    let argumentText = text.joined(separator: " ")
    guard argumentText.isEmpty || argumentText == "-" else { return argumentText }
    guard isRequired || argumentText == "-" || StandardInput.isPipe else { return nil }
    if Console.canPrompt {
      Console.printNotice(localized("Type your text; end with Ctrl-D on a line of its own."))
    }
    if let input = try StandardInput.text() { return input }
    guard isRequired else { return nil }
    throw DiaryError(
      localized("there is no text to add"), kind: .usage,
      hint: localized("diary add It rained."))
  }

  private func entry(of journal: Journal) async throws -> EntryPath? {
    guard let to else { return nil }
    do {
      return try await journal.catalog.resolve(to, .newestOfDay).path
    } catch var error as DiaryError where error.kind == .nothingFound {
      // A day without an entry.
      if (try? journal.catalog.entryDate(of: to)) != nil {
        let words = ["diary add --date", shellWord(to)] + text.map { shellWord($0) }
        error.hint = localized("to write one: `\(words.joined(separator: " "))`")
      }
      throw error
    }
  }
}

extension DiaryError {
  /// The error with the text that was not written: text from a pipe is stored nowhere else.
  func includingInput(_ text: String) -> DiaryError {
    guard !details.contains(where: { $0 == localized("the text: \(text)") }) else { return self }
    var error = self
    error.details.append(localized("the text: \(text)"))
    return error
  }
}
