import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Glibc

struct ShareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "share", abstract: "Hand on a self-contained copy of entries.",
    discussion: """
      Several REFs, or the filters of `list` in their place, make one document, the oldest entry \
      first. Without --output or --to it is printed.
      """)

  /// Where a copy goes besides a file.
  enum Target: String, ExpressibleByArgument, CaseIterable { case clipboard, mail }

  @Argument(
    help: ArgumentHelp("Numbers, dates, paths or words of a title.", valueName: "ref"))
  var references: [String] = []
  @Option(help: ArgumentHelp("md, html, text or json.", valueName: "format"))
  var format: ShareFormat?
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("A file; its name's ending tells the format.", valueName: "file"))
  var output: String?
  @Flag(help: "Replace the file if it is there.")
  var force = false
  @Option(
    help: ArgumentHelp("clipboard, or mail for a letter in your program.", valueName: "where"))
  var to: Target?
  @OptionGroup var filters: FilterOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if references.isEmpty != filters.isGiven {
      throw ValidationError(
        references.isEmpty
          ? "name an entry, or entries by --since, --until, --on, --tag, --weather or -n"
          : "name entries or filter them, not both")
    }
    if to != nil, output != nil { throw ValidationError("choose one of --to and --output") }
    if force, output == nil { throw ValidationError("--force goes with --output") }
    if let output, format == nil, !ShareFormat.isKnown(fileName: output) {
      throw ValidationError(
        "\(output) has an ending that says no format: use .md, .html, .txt or .json, or --format")
    }
    if to == .mail, format == .html || format == .json {
      throw ValidationError("a letter is md or text; attach a file for the rest (--output)")
    }
  }

  func run() async throws {
    let journal = try common.open()
    let entries =
      references.isEmpty
      ? try await journal.list(try filters.filter(in: journal))
      : try await journal.resolveAll(references)
    guard !entries.isEmpty else { throw DiaryError("no entry fits", kind: .nothingFound) }
    let copy = try journal.share(entries, as: wanted, ReaderLocale().shareWords)
    for note in copy.notes { common.remark("diary: " + Console.named(note)) }
    switch to {
    case .clipboard: try await copyOut(copy, journal)
    case .mail: try await journal.mail(copy)
    case nil: try put(copy, journal)
    }
  }

  private var wanted: ShareFormat {
    format ?? output.flatMap { ShareFormat(fileName: $0) } ?? (to == .mail ? .text : .md)
  }

  private func put(_ copy: SharedCopy, _ journal: Journal) throws {
    guard let output, output != "-" else {
      let text = String(decoding: copy.bytes, as: UTF8.self)
      return Console.isTerminal
        ? Console.write(terminalSafe(text), to: STDOUT_FILENO)
        : Console.write(copy.bytes, to: STDOUT_FILENO)
    }
    try journal.write(copy, to: output, replacing: force)
    common.remark("Written: \(Console.named(output))")
  }

  private func copyOut(_ copy: SharedCopy, _ journal: Journal) async throws {
    if let program = try await journal.copyToClipboard(copy) {
      return common.remark("On the clipboard, by \(program).")
    }
    try TerminalClipboard.take(copy.bytes)
    common.remark("Handed to the terminal's clipboard.")
  }
}

extension ShareFormat: ExpressibleByArgument {}

/// The clipboard of the terminal itself, which also works over ssh: the sequence OSC 52.
enum TerminalClipboard {
  /// Longer sequences are dropped without a word by many terminals.
  static let longest = 74_994

  static func take(_ bytes: [UInt8]) throws {
    let terminals = [STDOUT_FILENO, STDERR_FILENO]
    guard let terminal = terminals.first(where: { isatty($0) == 1 }), !Console.isDumb else {
      throw DiaryError(
        "there is no clipboard here: no wl-copy, xclip or xsel with a display, and no terminal",
        hint: "install wl-clipboard or xclip, or use --output FILE")
    }
    let text = Data(bytes).base64EncodedString()
    guard text.utf8.count <= longest else {
      throw DiaryError(
        "the text is too long for the terminal's clipboard "
          + "(\(bytes.count) of \(longest / 4 * 3) bytes)",
        hint: "install wl-clipboard or xclip, or use --output FILE")
    }
    Console.write("\u{1B}]52;c;\(text)\u{7}", to: terminal)
  }
}
