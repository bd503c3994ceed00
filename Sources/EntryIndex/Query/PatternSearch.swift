import DiaryCore
import Foundation
import GRDB
import Localization

/// A search for a regular expression, inside a transaction.
struct PatternSearch {
  private let expression: NSRegularExpression

  init(_ pattern: String) throws(IndexError) {
    do {
      expression = try NSRegularExpression(
        pattern: pattern, options: [.caseInsensitive, .anchorsMatchLines])
    } catch {
      throw .pattern(pattern, reason: localized("check its brackets and escapes"))
    }
  }

  /// The hits, newest first.
  func hits(_ database: Database, _ filter: ListFilter) throws -> [SearchHit] {
    var matches: [Int64: MatchLine] = [:]
    let condition = filter.condition
    let row = try RawStatement(
      database,
      sql: """
        SELECT source.entry, entry.title, source.body, source.header
        FROM source JOIN entry ON entry.id = source.entry WHERE \(condition.sql)
        """, condition.values)
    while try row.next() {
      if let line = try line(.body, row.text(2)) ?? line(.title, row.text(1))
        ?? line(.header, row.text(3))
      {
        matches[try row.number(0)] = line
      }
    }
    let found = try ListQueries.numberedIDs(database, of: Set(matches.keys))
    let ordered = filter.isReversed ? found.reversed() : found
    let page = filter.page(of: ordered)
    return try ListQueries.entries(database, page, withPreview: filter.needsPreviews).map {
      id, listed in
      SearchHit(
        summary: listed,
        match: matches[id] ?? MatchLine(field: .title, text: listed.title, ranges: []))
    }
  }

  /// The line in which the first match starts, with the ranges of all matches in it.
  private func line(_ field: MatchLine.Field, _ text: String) -> MatchLine? {
    let whole = NSRange(text.startIndex..., in: text)
    guard let first = expression.firstMatch(in: text, range: whole)?.range,
      let start = Range(first, in: text)?.lowerBound
    else { return nil }
    let lineStart = text[..<start].lastIndex(where: \.isNewline).map(text.index(after:))
    let lineEnd = text[start...].firstIndex(where: \.isNewline) ?? text.endIndex
    let line = text[(lineStart ?? text.startIndex)..<lineEnd]
    let shown = String(line).trimmed
    let offset = text.utf8.distance(from: text.startIndex, to: line.startIndex)
    let skipped = offset + line.prefix(while: \.isWhitespace).utf8.count
    let matches = expression.matches(
      in: text, range: NSRange(line.startIndex..<line.endIndex, in: text))
    let ranges = matches.compactMap { match -> Range<Int>? in
      guard let range = Range(match.range, in: text) else { return nil }
      let lower = text.utf8.distance(from: text.startIndex, to: range.lowerBound) - skipped
      let upper = text.utf8.distance(from: text.startIndex, to: range.upperBound) - skipped
      let shownRange = max(lower, 0)..<max(min(upper, shown.utf8.count), max(lower, 0))
      return shownRange.isEmpty ? nil : shownRange
    }
    return MatchLine(field: field, text: shown, ranges: MatchLine.joined(ranges))
  }
}
