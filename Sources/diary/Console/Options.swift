import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Glibc
import Localization
import Synchronization

/// The options of every command.
struct CommonOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(localized("The journal's folder."), valueName: "dir"))
  var journal: String?
  @Option(
    name: .customShort("j"), parsing: .unconditional,
    help: ArgumentHelp(
      localized("A journal by its name in your settings."), valueName: "name"))
  var journalName: String?
  @Flag(name: [.short, .long], help: ArgumentHelp(localized("Print only results and errors.")))
  var quiet = false

  /// True if `--journal` or `-j` is given.
  var hasJournalOption: Bool { journal != nil || journalName != nil }

  /// The folder that `--journal` or `-j` selects.
  func folder(_ environment: RuntimeEnvironment) throws -> String? {
    guard let journalName else { return journal }
    if journal != nil {
      throw DiaryError(localized("choose one of --journal and -j"), kind: .usage)
    }
    return try JournalFinder.folder(called: journalName, environment)
  }

  /// Opens the selected journal. Prints its path if `writing` to one other than the personal one.
  ///
  /// - Parameter mayClose: true if one that locks must not be kept open until the process ends.
  func open(writing: Bool = false, mayClose: Bool = false) throws -> Journal {
    let environment = RuntimeEnvironment.current()
    let root = try JournalFinder.find(named: folder(environment), environment)
    let opened = try Journal(root: root, environment: environment)
    if !quiet {
      for problem in opened.problems {
        let line = problem.line.map { ":\($0)" } ?? ""
        Console.printNotice(
          localized(
            "diary: \(Console.escaped(problem.source))\(line): \(Console.escaped(problem.message))")
        )
      }
    }
    if !quiet, let deferred = opened.changes.deferredCommit {
      Console.printNotice(
        localized(
          "diary: commits have been on hold since "
            + "\(UserLocale().text(of: deferred.since)) "
            + "(\(Console.escaped(deferred.reason.message))); nothing "
            + "is lost, and they resume when that is finished"))
    }
    if writing, !quiet, root != JournalFinder.personalJournal(environment) {
      Console.printNotice(localized("journal: \(Console.escaped(root))"))
    }
    let isClosed = mayClose && EncryptedFolder(root).state == .unlocked
    if !isClosed, !opened.indexNeedsClosing { Self.openJournals.withLock { $0.append(opened) } }
    return opened
  }

  /// The journals that stay open until the process ends: closing the index waits for the disk.
  private static let openJournals = Mutex<[Journal]>([])

  /// Prints a longer message, wrapped between words on a terminal.
  func printNotice(paragraph text: String) {
    let width = isatty(STDERR_FILENO) == 1 ? Console.width : .max
    printNotice(
      TextWrapper.lines(of: Console.namingJournal(text), width: width).joined(separator: "\n"))
  }

  /// Prints a message, unless `--quiet` is given.
  func printNotice(_ text: String) { if !quiet { Console.printNotice(text) } }
}

/// The options for the output format.
struct OutputOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(localized("Print a JSON array.")))
  var json = false
  @Flag(help: ArgumentHelp(localized("Print only the paths.")))
  var paths = false
  @Flag(
    name: .customShort("0"), help: ArgumentHelp(localized("With --paths: end each path with NUL.")))
  var nul = false

  func validate() throws {
    if nul && !paths { throw ValidationError(localized("-0 needs --paths")) }
    if json && paths { throw ValidationError(localized("choose one of --json and --paths")) }
  }

  func printPaths(_ entries: [EntryPath], in journal: Journal) {
    if Console.isTerminal, !nul {
      return entries.forEach { Console.print($0, in: journal) }
    }
    var bytes: [UInt8] = []
    for path in entries {
      bytes += Array((journal.root + "/").utf8) + path.bytes
      bytes.append(nul ? 0 : UInt8(ascii: "\n"))
    }
    Console.write(bytes, to: 1)
  }
}

/// The options that select entries.
struct FilterOptions: ParsableArguments {
  @Option(
    name: .customShort("n", allowingJoined: true),
    help: ArgumentHelp(localized("Maximum number of entries."), valueName: "count"))
  var count: Int?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      localized("From this time on: 2026-11-21, 2026-11, yesterday, \"today 18:00\", …"),
      valueName: "when"))
  var since: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(localized("Until this time, inclusive."), valueName: "when"))
  var until: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(localized("On this day, month or year."), valueName: "when"))
  var on: String?
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      localized("With this tag; with several (a,b), all of them."), valueName: "tag"))
  var tag: [String] = []
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(localized("With at least one of these tags: a,b."), valueName: "tag"))
  var anyTag: [String] = []
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(localized("With none of these tags: a,b."), valueName: "tag"))
  var notTag: [String] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(localized("With this weather, such as rain."), valueName: "group"))
  var weather: String?
  @Flag(help: ArgumentHelp(localized("With a star (`diary star` adds one).")))
  var starred = false
  @Flag(help: ArgumentHelp(localized("Oldest first.")))
  var reverse = false

  func validate() throws {
    if let count, count < 1 { throw ValidationError(localized("-n must be 1 or more")) }
  }

  /// True if any option narrows the list.
  var hasFilter: Bool {
    count != nil || since != nil || until != nil || on != nil || weather != nil
      || !tag.isEmpty || !anyTag.isEmpty || !notTag.isEmpty || starred
  }

  func filter(in journal: Journal) throws -> ListFilter {
    let (first, last) = (try span(since, journal), try span(until, journal))
    let onSpan = try span(on, journal)
    if let first, let last, first.moments.lowerBound >= last.moments.upperBound {
      throw DiaryError(
        localized(
          "--since \(since ?? "") is later than --until \(until ?? ""), so no entry can match"),
        kind: .usage, hint: localized("swap the two dates"))
    }
    var filter = ListFilter(
      since: [first?.days?.lowerBound, onSpan?.days?.lowerBound].compactMap(\.self).max(),
      until: [last?.days?.upperBound, onSpan?.days?.upperBound].compactMap(\.self).min(),
      fromInstant: [first, onSpan].compactMap { $0?.days == nil ? $0?.moments.lowerBound : nil }
        .max(),
      beforeInstant: [last, onSpan].compactMap { $0?.days == nil ? $0?.moments.upperBound : nil }
        .min(),
      tags: TagList.tags(of: tag), weather: weather, isReversed: reverse, limit: count)
    filter.anyTags = TagList.tags(of: anyTag)
    filter.withoutTags = TagList.tags(of: notTag)
    filter.isStarred = starred
    filter.weatherCondition = weather.flatMap { Condition(localizedName: $0) }
    return filter
  }

  private func span(_ text: String?, _ journal: Journal) throws -> TimeSpan? {
    guard let text else { return nil }
    return try journal.catalog.timeSpan(of: text)
  }
}

/// The options of `new` and `add` besides the text.
struct EntryOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(localized("A tag, or several: a,b. Repeatable."), valueName: "tag"))
  var tag: [String] = []
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(localized("Where you write it: a town or coordinates."), valueName: "place"))
  var place: String?
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      localized("A file to copy next to the entry and link. Repeatable."), valueName: "file"))
  var attach: [String] = []

  /// True if none of the options is given.
  var isEmpty: Bool { tag.isEmpty && place == nil && attach.isEmpty }

  /// An entry with the values of the options.
  var newEntry: NewEntry {
    var new = NewEntry()
    new.tags = TagList.tags(of: tag)
    new.place = place
    new.attachments = attach
    return new
  }
}

/// The tags of `--tag`, which can be repeated and can name several tags at once.
enum TagList {
  static func tags(of words: [String]) -> [String] {
    words.flatMap { $0.split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces).drop { $0 == "#" } }
      .filter { !$0.isEmpty }.map(String.init)
  }
}
