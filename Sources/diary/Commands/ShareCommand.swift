import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Glibc
import Localization

struct ShareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "share", abstract: localized("Export entries as Markdown, HTML, text or JSON."),
    discussion: localized(
      """
      Several entries, or those that match the filters, make one self-contained document, oldest \
      entry first. Without --output or --to, Diary prints it.
      """))

  /// The destinations other than a file.
  enum Target: String, ExpressibleByArgument, CaseIterable { case clipboard, mail }

  @OptionGroup var selection: EntrySelection
  @Option(help: ArgumentHelp(localized("md, html, text or json."), valueName: "format"))
  var format: ShareFormat?
  @Option(
    name: [.short, .long],
    help: ArgumentHelp(
      localized("The file to write; its extension sets the format."), valueName: "file"))
  var output: String?
  @Flag(help: ArgumentHelp(localized("Replace the file if it exists.")))
  var force = false
  @Option(
    help: ArgumentHelp(localized("Where to send it: clipboard or mail."), valueName: "where"))
  var to: Target?
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if to != nil, output != nil {
      throw ValidationError(localized("choose one of --to and --output"))
    }
    if force, output == nil { throw ValidationError(localized("--force needs --output")) }
    if let output, format == nil, !ShareFormat.isKnown(fileName: output) {
      throw ValidationError(
        localized("\(output) has no known format: use .md, .html, .txt or .json, or --format"))
    }
    if to == .mail, format == .html || format == .json {
      throw ValidationError(
        localized("mail takes only md or text; for others, attach a file (--output)"))
    }
  }

  func run() async throws {
    let journal = try common.open()
    let entries = try await selection.entries(in: journal, common).entries
    let copy = try journal.entries.exportedDocument(
      of: entries, as: chosenFormat, UserLocale().shareLocale)
    for note in copy.notes { common.printNotice("diary: " + Console.escaped(note)) }
    switch to {
    case .clipboard: try await copyToClipboard(copy, journal)
    case .mail: try await journal.entries.mail(copy)
    case nil: try writeCopy(copy, journal)
    }
  }

  private var chosenFormat: ShareFormat {
    format ?? output.flatMap { ShareFormat(fileName: $0) } ?? (to == .mail ? .text : .md)
  }

  private func writeCopy(_ copy: ExportedDocument, _ journal: Journal) throws {
    guard let output, output != "-" else {
      let text = String(decoding: copy.bytes, as: UTF8.self)
      return Console.isTerminal
        ? Console.write(terminalText(text), to: STDOUT_FILENO)
        : Console.write(copy.bytes, to: STDOUT_FILENO)
    }
    try journal.entries.write(copy, to: output, replacing: force)
    common.printNotice(localized("Wrote \(Console.escaped(output))"))
    if EncryptedFolder(journal.root).state == .unlocked {
      common.printNotice(localized("The export is not encrypted, unlike the journal."))
    }
  }

  private func copyToClipboard(_ copy: ExportedDocument, _ journal: Journal) async throws {
    if let program = try await journal.entries.copyToClipboard(copy) {
      return common.printNotice(localized("Copied to the clipboard with \(program)."))
    }
    try TerminalClipboard.copy(copy.bytes)
    common.printNotice(localized("Copied to the clipboard of the terminal."))
  }
}

extension ShareFormat: ExpressibleByArgument {}

/// The clipboard of the terminal, set by the sequence OSC 52, which also works over ssh.
enum TerminalClipboard {
  /// Many terminals silently drop longer sequences.
  static let maxLength = 74_994

  static func copy(_ bytes: [UInt8]) throws {
    let terminals = [STDOUT_FILENO, STDERR_FILENO]
    guard let terminal = terminals.first(where: { isatty($0) == 1 }), !Console.isDumb else {
      throw DiaryError(
        localized("no clipboard found: no wl-copy, xclip or xsel with a display, and no terminal"),
        hint: localized("install wl-clipboard or xclip, or use --output FILE"))
    }
    let text = Data(bytes).base64EncodedString()
    guard text.utf8.count <= maxLength else {
      throw DiaryError(
        localized(
          "the text is too long for the terminal's clipboard "
            + "(\(bytes.count) of \(maxLength / 4 * 3) bytes)"),
        hint: localized("install wl-clipboard or xclip, or use --output FILE"))
    }
    Console.write("\u{1B}]52;c;\(text)\u{7}", to: terminal)
  }
}
