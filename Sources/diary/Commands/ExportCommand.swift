import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Glibc
import Localization

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "export",
    abstract: localized("Export the journal for other programs, or for reading."),
    discussion: localized(
      """
      OUT is a file or a new folder; - is standard output. Its extension or --format sets the \
      format. Without filters, all entries are exported.
      """))

  @Argument(help: ArgumentHelp(localized("The file or the folder to write."), valueName: "out"))
  var output: String
  @Option(
    help: ArgumentHelp(
      localized(
        "html, site, epub, pdf, json, jsonl, md, folder, text, jrnl, dayone, csv or backup."),
      valueName: "format"))
  var format: ExportFormat?
  @Flag(help: ArgumentHelp(localized("Replace the file if it exists.")))
  var force = false
  @Flag(help: ArgumentHelp(localized("Leave out pictures and other files.")))
  var noAttachments = false
  @Option(help: ArgumentHelp(localized("The title of a site or a book."), valueName: "text"))
  var title: String?
  @OptionGroup var filters: FilterOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    guard let chosenFormat else {
      throw ValidationError(localized("cannot tell the format of \(output): use --format"))
    }
    if !chosenFormat.isStream, output == "-" {
      throw ValidationError(
        localized("\(chosenFormat.rawValue) cannot go to standard output: name a file or a folder"))
    }
    if chosenFormat == .backup, filters.hasFilter || noAttachments {
      throw ValidationError(localized("a backup contains everything: remove the filters"))
    }
    if chosenFormat.isFolder, force {
      throw ValidationError(localized("--force replaces only files, not folders"))
    }
  }

  private var chosenFormat: ExportFormat? { format ?? ExportFormat(fileName: output) }

  func run() async throws {
    guard let chosenFormat else { return }
    let journal = try common.open()
    let entries = try await journal.catalog.list(try filters.filter(in: journal))
    guard !entries.isEmpty || !filters.hasFilter else {
      throw DiaryError(localized("no entry matches"), kind: .nothingFound)
    }
    // Output that is already in a pipe cannot be taken back, so signals end the process directly.
    let outcome =
      output == "-"
      ? try await export(entries, chosenFormat, journal)
      : try await Interruptible.run { try await self.export(entries, chosenFormat, journal) }
    for note in outcome.notices.prefix(20) { common.printNotice("diary: " + Console.escaped(note)) }
    if outcome.notices.count > 20 {
      common.printNotice(localized("diary: and \(outcome.notices.count - 20) more"))
    }
    let (folders, unread) = (
      journal.changes.unreadableFolders(), journal.changes.unreadableEntries()
    )
    let isPartial = !folders.isEmpty || !unread.isEmpty
    defer { SaveReport.printUnreadable(unread, folders: folders, in: journal, common) }
    if isPartial, output == "-" { throw ExitCode(1) }
    guard output != "-" else { return }
    let files =
      outcome.attachments > 0
      ? localized(" with \(counted(outcome.attachments, "file", "files"))") : ""
    common.printNotice(
      localized(
        "Wrote \(counted(outcome.entries, "entry", "entries"))\(files) to \(Console.escaped(output))"
      )
    )
    if chosenFormat == .site {
      common.printNotice(
        localized("Only you can read it. To serve it: chmod -R go+rX \(shellWord(output))"))
    }
    if EncryptedFolder(journal.root).state == .unlocked {
      common.printNotice(localized("The export is not encrypted, unlike the journal."))
    }
    if isPartial { throw ExitCode(1) }
  }

  private func export(
    _ entries: [EntrySummary], _ format: ExportFormat, _ journal: Journal
  ) async throws -> ExportOutcome {
    let bar = ProgressLine(localized("Exporting"))
    defer { bar.end() }
    let target: ExportTarget =
      output == "-"
      ? .output {
        Console.isTerminal ? Console.print(part: $0) : Console.write($0, to: STDOUT_FILENO)
      }
      : .path(output, replacing: force)
    return try await journal.transfer.export(
      entries, as: format, to: target,
      ExportOptions(locale: UserLocale(), shouldIncludeAttachments: !noAttachments, title: title)
    ) { bar.update($0, $1) }
  }
}

extension ExportFormat: ExpressibleByArgument {}
