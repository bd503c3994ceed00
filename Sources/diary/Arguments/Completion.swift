import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

/// The candidates for the word at the cursor of a command line. The scripts in `completions`
/// request them with `diary --complete` and insert the chosen word as their shell requires. A title
/// is always printed as a line of its own, which no shell expands.
struct Completion {
  /// The kind of file names that the shell should offer in addition.
  enum FileKind: String { case none, files, folders }

  /// A word that can be inserted at the cursor, with its description.
  struct Candidate {
    let value: String
    var about = ""
  }

  private(set) var candidates: [Candidate] = []
  private(set) var files = FileKind.none

  /// The maximum number of candidates.
  private static let maxCandidates = 200

  /// Answers `--complete words WORD…`, for shells that quote what they insert, or `--complete bash
  /// LINE BREAKS`. The first output line is the kind of file names to offer in addition. Each
  /// further line is a word; for shells other than bash, a tab and its description follow.
  static func answer(_ request: [String]) async {
    var typed = Array(request.dropFirst())
    var line: ShellLine?
    if request.first == "bash", typed.count == 2 {
      let bash = ShellLine(typed[0], breaks: typed[1])
      line = bash
      typed = Array(bash.words.dropFirst())
    }
    let completion = await Completion(typed.dropLast(), typed.last ?? "")
    var lines = [completion.files.rawValue]
    for candidate in completion.candidates {
      // A word that would be escaped on a terminal cannot be typed.
      guard terminalName(candidate.value) == candidate.value else { continue }
      lines.append(
        line?.insertionText(for: candidate.value)
          ?? candidate.value + "\t" + terminalName(String(candidate.about.prefix(120))))
    }
    Console.write(lines.joined(separator: "\n") + "\n", to: 1)
  }

  /// - Parameters:
  ///   - words: the words before the cursor, without the program's own name.
  ///   - current: the part of the word at the cursor that is already typed.
  private init(_ words: some Sequence<String>, _ current: String) async {
    let line = PartialCommandLine(Array(words))
    if let option = line.pendingOption {
      await complete(option, of: line.command ?? "list", current, line)
    } else if let equals = current.firstIndex(of: "="), current.hasPrefix("--"),
      !line.hasEndOfOptions
    {
      let name = String(current[..<equals])
      await complete(name, of: line.command ?? "list", String(current[equals...].dropFirst()), line)
      candidates = candidates.map { Candidate(value: "\(name)=\($0.value)", about: $0.about) }
    } else if current.hasPrefix("-"), !line.hasEndOfOptions {
      offerOptions(of: line.command ?? "list", current)
    } else if let command = line.command {
      await completeArgument(of: command, current, line)
    } else {
      offer(Self.commands(of: line.commandGroup), current)
    }
  }

  /// The subcommands of a command that has some, else all commands.
  private static func commands(of group: String?) -> [Candidate] {
    let verbs = subcommands(of: group)
    return verbs.isEmpty
      ? commandCandidates(subcommands(of: nil).filter { $0.configuration.shouldDisplay })
        + [Candidate(value: "help")]
      : commandCandidates(verbs)
  }

  /// The commands, or the subcommands of one.
  private static func subcommands(of group: String?) -> [any ParsableCommand.Type] {
    let all = DiaryCommand.configuration.subcommands
    guard let group else { return all }
    return all.first { $0._commandName == group }?.configuration.subcommands ?? []
  }

  private static func commandCandidates(_ commands: [any ParsableCommand.Type]) -> [Candidate] {
    commands.map { Candidate(value: $0._commandName, about: $0.configuration.abstract) }
  }

  /// Offers the candidates that start with the typed text.
  private mutating func offer(_ all: [Candidate], _ current: String) {
    let start = current.lowercased()
    candidates += all.filter { $0.value.lowercased().hasPrefix(start) }
  }

  private mutating func offer(_ values: [String], _ current: String) {
    offer(values.map { Candidate(value: $0) }, current)
  }

  private mutating func offerOptions(of command: String, _ current: String) {
    guard let table = OptionTable.byCommand[command] else { return }
    let helpTexts = Self.optionHelp(of: command)
    let names = table.flags.union(table.values).filter { $0 != "--version" }.sorted()
    offer(names.map { Candidate(value: $0, about: helpTexts[$0] ?? "") }, current)
  }

  /// The help text of each option.
  private static func optionHelp(of command: String) -> [String: String] {
    let parts = command.split(separator: " ").map(String.init)
    let commands = subcommands(of: parts.count == 1 ? nil : parts[0])
    guard let type = commands.first(where: { $0._commandName == parts.last }) else { return [:] }
    var texts: [String: String] = [:]
    for line in type.helpMessage(columns: 1000).split(separator: "\n")
    where line.hasPrefix("  -") {
      let (head, text) = line.dropFirst(2).partsAroundGap
      for word in head.split(whereSeparator: { ", ".contains($0) }) where word.hasPrefix("-") {
        texts[String(word)] = text
      }
    }
    return texts
  }

  /// Common dates and time spans.
  private static let commonTimes = [
    "today", "yesterday", "this week", "last week", "this month", "last month", "this year",
    "last year", "last monday",
  ]

  private mutating func complete(
    _ option: String, of command: String, _ current: String, _ line: PartialCommandLine
  ) async {
    switch option {
    case "--tag", "--any-tag", "--not-tag": await offerTags(current, line)
    case "--template" where current.contains("/"): files = .files
    case "--template":
      if let journal = line.journal { offer(journal.entries.templateNames, current) }
    case "--journal": files = .folders
    case "-j": offer(Self.namedJournals, current)
    case "--attach", "--output", "-o": files = .files
    case "--weather": offer(Condition.allCases.map(\.localizedName), current)
    case "--since", "--until", "--on", "--date", "--at": offer(Self.commonTimes, current)
    case "--to" where command == "share":
      offer(ShareCommand.Target.allCases.map(\.rawValue), current)
    case "--to": await offerEntries(current, line)
    case "--format" where command == "share":
      offer(ShareFormat.allCases.map(\.rawValue), current)
    case "--format" where command == "export":
      offer(ExportFormat.allCases.map(\.rawValue), current)
    case "--format" where command == "import": offer(Transfer.importFormats, current)
    case "--by": offer(JournalStatistics.Span.allCases.map(\.rawValue), current)
    case "--rename": await offerTags(current, line)
    case "--date-from": offer(Entries.DateSource.allCases.map(\.rawValue), current)
    default: break
    }
  }

  private static var namedJournals: [Candidate] {
    JournalFinder.personalSettings(RuntimeEnvironment.current()).journals.sorted { $0.key < $1.key }
      .map { Candidate(value: $0.key, about: $0.value) }
  }

  private mutating func completeArgument(
    of command: String, _ current: String, _ line: PartialCommandLine
  ) async {
    switch command {
    case "show", "edit", "share", "delete", "history", "star", "unstar", "weather stamp":
      await offerEntries(current, line)
    case "rename" where line.arguments.isEmpty: await offerEntries(current, line)
    case "restore":
      await offerEntries(current, line)
      await offerDeleted(current, line)
    case "search":
      if current.hasPrefix("tag:") { await offerTags(current, line, prefix: "tag:") }
    case "init": files = .folders
    case "clone" where line.arguments.count == 1: files = .folders
    case "import", "export", "merge-file", "key add": files = .files
    case "calendar", "onthisday": offer(Self.commonTimes, current)
    case "help":
      offer(Self.commands(of: line.arguments.first), current)
      if line.arguments.isEmpty { offer(["all"], current) }
    case "config" where line.arguments.isEmpty:
      offer(
        SettingsFiles.settingsSource(RuntimeEnvironment.current()).all.map {
          Candidate(value: $0.key, about: $0.meaning)
        }, current)
    case "config":
      let key = line.arguments[0]
      if key == "journal" || key.hasPrefix("journals.") { files = .folders }
      if key == "template", let journal = line.journal {
        offer(journal.entries.templateNames, current)
      }
      offer(SettingsSource.choices(of: key), current)
    default: break
    }
  }

  /// Completes the last tag of a comma-separated list.
  private mutating func offerTags(
    _ current: String, _ line: PartialCommandLine, prefix: String = ""
  ) async {
    guard let tags = try? await line.journal?.catalog.tags() else { return }
    let typed = current.dropFirst(prefix.count)
    let end = typed.lastIndex(of: ",").map { typed.index(after: $0) } ?? typed.startIndex
    let before = prefix + typed[..<end]
    offer(
      tags.map {
        Candidate(value: before + $0.tag, about: counted($0.count, "entry", "entries"))
      }, current)
  }

  /// Offers entries by date, path or title, so that each value means one entry. An entry whose
  /// title cannot name it is offered by its path, and only if nothing is typed yet.
  private mutating func offerEntries(_ current: String, _ line: PartialCommandLine) async {
    guard let journal = line.journal else { return }
    var filter = ListFilter()
    filter.needsPreviews = false
    // If nothing is typed, offer only the newest entries.
    if current.isEmpty { filter.limit = 30 }
    guard let entries = try? await journal.catalog.list(filter) else { return }
    let locale = UserLocale()
    if let first = current.first, first.isASCII, first.isNumber {
      return current.contains("/") ? offerPaths(entries, current) : offerDays(entries, current)
    }
    var seen: Set<String> = []
    let start = current.lowercased()
    for entry in entries where candidates.count < Self.maxCandidates {
      let title = entry.title
      let isOption = title.hasPrefix("-")
      guard !title.isEmpty, title.lowercased().hasPrefix(start) else { continue }
      let isTitleUnique =
        !isOption && journal.catalog.isTitleText(title) && seen.insert(title).inserted
      guard isTitleUnique || current.isEmpty else { continue }
      candidates.append(
        Candidate(
          value: isTitleUnique ? title : entry.path.text,
          about: isTitleUnique
            ? locale.text(of: entry.day) : "\(locale.text(of: entry.day)) \(title)"))
    }
    if current.contains("/") { offerPaths(entries, current) }
  }

  /// Offers `2026-11-21`, or `2026-11-21.2` if the day has several entries; the first one is 1.
  private mutating func offerDays(_ entries: [EntrySummary], _ current: String) {
    var days: [(day: Day, titles: [String])] = []
    for entry in entries {
      guard let day = entry.day, "\(day)".hasPrefix(current) || current.hasPrefix("\(day).") else {
        continue
      }
      if days.last?.day == day {
        days[days.count - 1].titles.append(entry.title)
      } else {
        guard days.count < Self.maxCandidates else { break }
        days.append((day, [entry.title]))
      }
    }
    for (day, titles) in days {
      if titles.count == 1 {
        offer([Candidate(value: "\(day)", about: titles[0])], current)
      } else {
        offer(
          titles.reversed().enumerated().map {
            Candidate(value: "\(day).\($0 + 1)", about: $1)
          }, current)
      }
    }
  }

  private mutating func offerPaths(_ entries: [EntrySummary], _ current: String) {
    let found = entries.lazy.filter { $0.path.text.hasPrefix(current) }.prefix(Self.maxCandidates)
    candidates += found.map { Candidate(value: $0.path.text, about: $0.title) }
  }

  private mutating func offerDeleted(_ current: String, _ line: PartialCommandLine) async {
    var filter = ListFilter()
    filter.limit = Self.maxCandidates
    guard let found = try? await line.journal?.history.deleted(filter) else { return }
    for deleted in found {
      let entry = deleted.entry
      let values = current.isEmpty ? [entry.path.text] : [entry.path.text, entry.title]
      offer(values.map { Candidate(value: $0, about: localized("deleted")) }, current)
    }
  }
}

extension Substring {
  /// The parts before and after the first two blanks.
  fileprivate var partsAroundGap: (head: Substring, text: String) {
    guard let gap = firstRange(of: "  ") else { return (self, "") }
    return (self[..<gap.lowerBound], String(self[gap.upperBound...].drop { $0 == " " }))
  }
}
