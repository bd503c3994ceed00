import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Glibc
import Localization

struct NewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "new", abstract: localized("Create an entry and open it in your editor."),
    discussion: localized("Prints the path of the entry. An entry that you leave blank is removed.")
  )

  @Argument(help: ArgumentHelp(localized("The title."), valueName: "title"))
  var title: [String] = []
  @Option(
    name: [.short, .long], parsing: .unconditional,
    help: ArgumentHelp(
      localized("The text, without an editor; - reads standard input."), valueName: "text"))
  var message: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(localized("The date: 2026-11-20, \"yesterday 21:00\", …"), valueName: "when")
  )
  var date: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      localized("The template, by name or path; `diary new --template help` lists the names."),
      valueName: "name"))
  var template: String?
  @OptionGroup var entryOptions: EntryOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    if template == "help" {
      for name in journal.entries.templateNames { Console.print(Console.escapedOnTerminal(name)) }
      return
    }
    var new = entryOptions.newEntry
    let titleText = title.joined(separator: " ")
    new.title = titleText.allSatisfy(\.isWhitespace) ? nil : titleText
    new.message = try text()
    new.date = try date.map { try journal.catalog.entryDate(of: $0) }
    new.template = template
    var editor: EditorCommand?
    if new.message == nil {
      editor = try await EditorSession.editor(
        of: journal, alternative: localized("give the text with --message"))
    }
    if new.message?.allSatisfy(\.isWhitespace) == true, new.title == nil,
      entryOptions.attach.isEmpty
    {
      throw DiaryError(
        localized("the text is blank, so no entry was created"), kind: .usage,
        hint: localized("give a title, or a text with --message"))
    }
    try await write(new, journal, editor)
    OnThisDayCommand.printEarlierYears(in: journal, common)
  }

  private func write(_ new: NewEntry, _ journal: Journal, _ editor: EditorCommand?) async throws {
    if try await addToDailyNote(new, journal, editor) { return }
    let draft: DraftEntry
    do { draft = try await journal.entries.createDraft(new) } catch {
      guard let text = new.message else { throw error }
      throw DiaryError(error).includingInput(text)
    }
    for note in draft.notes { common.printNotice("diary: " + Console.escaped(note)) }
    guard let editor else {
      SaveReport.print(try await journal.entries.saveDraft(draft), common)
      return Console.print(draft.path, in: journal)
    }
    try await journal.entries.saveAttachments(of: draft)
    try await EditorSession.run(draft.path, of: journal, in: editor, draft: draft, common)
  }

  /// Adds an untitled entry to the existing note of its day; `false` if there is none.
  private func addToDailyNote(
    _ new: NewEntry, _ journal: Journal, _ editor: EditorCommand?
  ) async throws -> Bool {
    do {
      guard let note = try journal.entries.dailyNote(for: new) else { return false }
      if let editor {
        common.printNotice(localized("Opening the existing note of the day."))
        try await EditorSession.run(note, of: journal, in: editor, common)
        return true
      }
      let added = try await journal.entries.add(new, to: note, withTime: false)
      SaveReport.print(added.outcome, common)
      Console.print(note, in: journal)
      return true
    } catch {
      guard let text = new.message else { throw error }
      throw DiaryError(error).includingInput(text)
    }
  }

  /// The text that needs no editor: `--message`, or standard input from a pipe.
  private func text() throws -> String? {
    if let message, message != "-" { return message }
    guard message == "-" || StandardInput.isPipe else { return nil }
    guard let text = try StandardInput.text() else {
      if message == "-" || StandardInput.isStream, entryOptions.attach.isEmpty {
        throw DiaryError(localized("standard input is empty, so no entry was created"))
      }
      return message == "-" || StandardInput.isStream ? "" : nil
    }
    return text
  }
}

/// Standard input from a pipe or a file.
enum StandardInput {
  static var isPipe: Bool { isStream || kind == S_IFREG }

  /// True for a pipe or a socket, through which another program sends its output.
  static var isStream: Bool { [S_IFIFO, S_IFSOCK].contains(kind) }

  private static var kind: mode_t {
    var status = stat()
    return fstat(STDIN_FILENO, &status) == 0 ? status.st_mode & S_IFMT : 0
  }

  /// The whole input as text; `nil` if it is blank.
  static func text() throws -> String? {
    let data = Array(FileHandle.standardInput.readDataToEndOfFile())
    if let fault = TextFault(in: data) {
      throw DiaryError(
        localized(
          "standard input has \(fault.reason) in line \(fault.line), column \(fault.column)"),
        details: [localized("the text: \(String(decoding: data, as: UTF8.self))")],
        hint: localized("nothing was written; convert other encodings with `iconv -t UTF-8`"))
    }
    let text = String(decoding: data, as: UTF8.self)
    return text.allSatisfy(\.isWhitespace) ? nil : text.trimmingBlankLines()
  }
}
