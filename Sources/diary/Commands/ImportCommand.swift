import ArgumentParser
import DiaryKit
import Foundation
import Localization

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "import", abstract: localized("Import entries from another app."),
    discussion: localized(
      "PATH is an export of another diary app: a file, a folder or a zip. Diary "
        + "recognizes the format: \(Transfer.importFormats.joined(separator: ", ")). "
        + "Importing it again adds only what is new or has changed."))

  @Argument(
    help: ArgumentHelp(
      localized("Files, folders or zips; - reads standard input."), valueName: "path"))
  var paths: [String]
  @Option(
    help: ArgumentHelp(
      localized("The format, if Diary does not recognize it."), valueName: "name"))
  var format: String?
  @Option(
    help: ArgumentHelp(
      localized("The encoding of texts that are not UTF-8, such as latin-1, euc-kr, shift-jis."),
      valueName: "name"))
  var encoding: String?
  @Flag(name: .long, help: ArgumentHelp(localized("Show what would be imported; write nothing.")))
  var dryRun = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: !dryRun)
    var sources: [ImportSource] = []
    for path in paths {
      let source = try ImportSource(path, for: journal)
      source.encoding = encoding
      if Console.canPrompt, encoding == nil { source.askEncoding = Self.askEncoding }
      sources.append(source)
    }
    for (path, source) in zip(paths, sources) where source.names.contains("history.bundle") {
      common.printNotice(
        localized(
          "\(Console.escaped(path)) is a backup; its history and settings are left out. To restore all of "
            + "it: diary clone \(shellWord(path))"))
    }
    let reading = try journal.transfer.readImport(sources, format: format)
    let bar = ProgressLine(localized("Importing"))
    defer { bar.end() }
    let signals = Interruptible.onSignal { number in
      bar.end()
      Console.printNotice(localized("Interrupted. Import it again to continue."))
      Interruption(number: number).endProcess()
    }
    defer { withExtendedLifetime(signals) {} }
    let outcome = try await journal.transfer.importEntries(consume reading, isDryRun: dryRun) {
      bar.startStage($0 == .writing ? localized("Importing") : localized("Saving"))
      bar.update($1, $2)
    }
    bar.end()
    if dryRun { return ImportReport(outcome, common).printPlan() }
    SaveReport.print(outcome.save, common)
    ImportReport(outcome, common).print()
    if outcome.hasAtTags, let save = try await journal.transfer.addAtTags() {
      SaveReport.print(save, common)
      common.printNotice(
        localized("This journal reads @tags, too: tags.marks is now \"#@\" in its settings."))
    }
  }

  private static func askEncoding(
    _ what: String, _ readings: [(encoding: String, text: String)]
  ) -> String? {
    Console.printNotice(what)
    if !readings.isEmpty {
      Console.printNotice(localized("The line in common encodings:"))
      for (name, text) in readings {
        Console.printNotice("  " + name.padding(toLength: 11, withPad: " ", startingAt: 0) + text)
      }
    }
    let answer = Console.prompt(localized("Its encoding (latin-1, euc-kr, shift-jis, …): "))
    return answer.flatMap { $0.isEmpty ? nil : $0 }
  }
}
