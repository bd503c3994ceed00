import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

/// `--format`: the template for each line of a list.
struct LineFormatOption: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      localized(
        "A line for each entry: %n number, %d day, %c time, %t title, %s start of the text, %p path, "
          + "%w weather, %l place, %g tags, %* a star, %W words, %% a percent sign."),
      valueName: "text"))
  var format: String?

  func validate() throws { if let format { _ = try LineFormat(format) } }

  /// The formatted lines; `nil` without this option.
  func lines(of entries: [EntrySummary]) throws -> [String]? {
    guard let format else { return nil }
    let line = try LineFormat(format)
    return entries.map { line.text(of: $0) }
  }
}

/// A text with marks for the fields of an entry. The result is the same in every language.
struct LineFormat {
  private enum Part {
    case text(String)
    case mark(Character)
  }

  private var parts: [Part] = []

  /// Parses the text; throws if a percent sign is not followed by a known mark.
  init(_ format: String) throws {
    guard format.contains("%") else {
      throw ValidationError(
        format.lowercased() == "json"
          ? localized("--format needs a mark such as %t; for JSON, use --json")
          : localized("--format needs a mark such as %t"))
    }
    var rest = Substring(format)
    while let percent = rest.firstIndex(of: "%") {
      parts.append(.text(String(rest[..<percent])))
      let after = rest[rest.index(after: percent)...]
      guard let mark = after.first, "ndctspwlg*W%".contains(mark) else {
        throw ValidationError(
          localized("--format has an unknown mark: %\(after.first.map { String($0) } ?? "")"))
      }
      parts.append(mark == "%" ? .text("%") : .mark(mark))
      rest = after.dropFirst()
    }
    parts.append(.text(String(rest)))
  }

  /// The line of an entry. On a terminal, control characters in its values are escaped.
  func text(of entry: EntrySummary) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .mark(let mark): Console.escapedOnTerminal(value(mark, entry))
      }
    }.joined()
  }

  private func value(_ mark: Character, _ entry: EntrySummary) -> String {
    switch mark {
    case "n": String(entry.number)
    case "d": entry.day?.description ?? ""
    case "c": entry.date?.clock ?? ""
    case "t": singleLine(entry.title)
    case "s": singleLine(entry.preview)
    case "p": entry.path.text
    case "w": singleLine(entry.weather?.text ?? "")
    case "l": singleLine(entry.place ?? "")
    case "g": entry.tags.joined(separator: ",")
    case "*": entry.isStarred ? EntryTable.starMarker : ""
    default: String(entry.words)
    }
  }
}
