import DiaryCore
import Foundation
import GRDB

extension EntryCatalog {
  /// The entries that hold every term and pass the filter. Whole words come before beginnings of
  /// words and these before other parts of words, then the newest first; a query without a term
  /// finds nothing.
  public func search(
    _ query: SearchQuery, _ filter: ListFilter = ListFilter()
  ) throws(CatalogError) -> [SearchHit] {
    switch query {
    case .terms(let terms):
      let needles = terms.compactMap(Needle.init)
      guard !needles.isEmpty else { return [] }
      return try ask("search") { try TermSearch(needles: needles).hits($0, filter) }
    case .pattern(let pattern):
      let search = try PatternSearch(pattern)
      return try ask("search") { try search.hits($0, filter) }
    }
  }
}

/// A search for terms, inside a transaction.
///
/// It looks through all folded texts. That finds any part of a word in any script by one rule, and
/// costs less than keeping an index of letter triples up to date.
private struct TermSearch {
  let needles: [Needle]

  func hits(_ database: Database, _ filter: ListFilter) throws -> [SearchHit] {
    let ranks = try ranks(database, filter)
    let found = try Listing.places(database, of: Set(ranks.keys))
      .map { (place: $0, rank: ranks[$0.id] ?? .inside) }
      .sorted { ($0.rank.rawValue, $0.place.number) < ($1.rank.rawValue, $1.place.number) }
    let shown = FoldedLetters()
    let titled = needles.filter { $0.scope != .tag }
    return try filter.page(of: filter.reverse ? found.reversed() : found).map { hit in
      let (listed, stored) = try foundEntry(database, hit.place)
      let match = MatchLine(
        needles, title: listed.title, tags: listed.tags, body: try text(stored.body),
        header: try text(stored.header), shown)
      return SearchHit(
        listed: listed, rank: hit.rank, match: match,
        titleRanges: FoldedLine(listed.title, shown).places(of: titled))
    }
  }

  private func ranks(_ database: Database, _ filter: ListFilter) throws -> [Int64: MatchRank] {
    let rows: RowCursor
    if filter.takesAll {
      // Ignored entries drop out when the places are looked up.
      rows = try Row.fetchCursor(database, sql: "SELECT entry, text FROM folded")
    } else {
      let condition = filter.condition
      rows = try Row.fetchCursor(
        database,
        sql: """
          SELECT folded.entry, folded.text FROM folded JOIN entry ON entry.id = folded.entry
          WHERE \(condition.sql)
          """, arguments: condition.arguments)
    }
    var ranks: [Int64: MatchRank] = [:]
    while let row = try rows.next() {
      let rank = try row.withUnsafeData(atIndex: 1) { text -> MatchRank? in
        guard let text else { throw UnreadableRow() }
        return text.withUnsafeBytes { self.rank($0) }
      }
      if let rank { ranks[row[0]] = rank }
    }
    return ranks
  }

  /// The rank of the term that stands worst; `nil` when one is missing.
  private func rank(_ fields: UnsafeRawBufferPointer) -> MatchRank? {
    var worst = MatchRank.wholeWord
    for needle in needles {
      guard let rank = needle.rank(in: SearchText.part(needle.scope, of: fields)) else {
        return nil
      }
      worst = max(worst, rank)
    }
    return worst
  }
}

/// An entry of a search, once it is known which it is.
func foundEntry(
  _ database: Database, _ place: Listing.Place
) throws -> (ListedEntry, StoredEntry) {
  guard let stored = try StoredEntry(database, id: place.id) else { throw UnreadableRow() }
  let listed = try ListedEntry(
    number: place.number, columns: stored.columns, tags: stored.tags.map(text))
  return (listed, stored)
}
