import DiaryCore
import Foundation
import GRDB

extension EntryCatalog {
  /// The entries that hold every term and pass the filter. Whole words come before beginnings of
  /// words and these before other parts of words, then the newest first; a query without a term
  /// finds nothing.
  ///
  /// - Parameter isMarked: whether to say where in a line and a title the terms stand.
  public func search(
    _ query: SearchQuery, _ filter: ListFilter = ListFilter(), isMarked: Bool = true
  ) throws(CatalogError) -> [SearchHit] {
    switch query {
    case .terms(let terms):
      let needles = terms.compactMap(Needle.init)
      guard !needles.isEmpty else { return [] }
      try foldTheRest()
      return try ask("search") {
        try TermSearch(needles: needles, isMarked: isMarked).hits($0, filter)
      }
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

  let isMarked: Bool

  func hits(_ database: Database, _ filter: ListFilter) throws -> [SearchHit] {
    let ranks = try ranks(database, filter)
    let found = try Listing.places(database, of: Set(ranks.keys))
      .map { (place: $0, rank: ranks[$0.id] ?? .inside) }
      .sorted { ($0.rank.rawValue, $0.place.number) < ($1.rank.rawValue, $1.place.number) }
    let page = filter.page(of: filter.reverse ? found.reversed() : found)
    let lines = MatchLines(needles, letters: isMarked ? FoldedLetters() : nil)
    var hits: [Int64: SearchHit] = [:]
    hits.reserveCapacity(page.count)
    let wanted = Dictionary(uniqueKeysWithValues: page.map { ($0.place.id, $0) })
    try FoundEntries(database).read(page.map(\.place.id)) { found in
      guard let hit = wanted[found.id] else { return }
      let listed = try found.listed(number: hit.place.number)
      hits[found.id] = SearchHit(
        listed: listed, rank: hit.rank, match: try found.match(lines, listed),
        titleRanges: lines.places(inTitle: listed.title))
    }
    return try page.map { hit in
      guard let hit = hits[hit.place.id] else { throw UnreadableRow() }
      return hit
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

/// The rows of the entries that a search found.
struct FoundEntries {
  let database: Database

  init(_ database: Database) { self.database = database }

  /// One of them, while its row is read.
  struct Found {
    let id: Int64
    fileprivate let row: Row
    fileprivate let tags: KnownTags

    func listed(number: Int) throws -> ListedEntry { try ListedEntry(row, tags, number: number) }

    fileprivate func match(_ lines: MatchLines, _ listed: ListedEntry) throws -> MatchLine {
      try bytes(18) { folded in
        try bytes(16) { header in
          try bytes(17) { body in
            try lines.line(
              of: listed, FoldedField(written: body, folded: SearchText.field(1, of: folded)),
              FoldedField(written: header, folded: SearchText.field(2, of: folded)))
          }
        }
      }
    }

    private func bytes<T>(_ index: Int, _ use: (UnsafeRawBufferPointer) throws -> T) throws -> T {
      try row.withUnsafeData(atIndex: index) { data in
        guard let data else { return try use(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return try data.withUnsafeBytes(use)
      }
    }
  }

  private static let query = """
    SELECT entry.id, \(StoredEntry.columnNames), header, body, folded.text
    FROM entry JOIN source ON source.entry = entry.id JOIN folded ON folded.entry = entry.id
    """

  /// Hands over each of them, in no order. Many are read in one pass over all rows.
  func read(_ ids: [Int64], _ use: (Found) throws -> Void) throws {
    let tags = try KnownTags(database, isWhole: ids.count > 100)
    if ids.count > 1000 {
      let rows = try Row.fetchCursor(database, sql: FoundEntries.query)
      let wanted = Set(ids)
      while let row = try rows.next() {
        if wanted.contains(row[0]) { try use(Found(id: row[0], row: row, tags: tags)) }
      }
      return
    }
    let statement = try database.cachedStatement(sql: FoundEntries.query + " WHERE entry.id = ?")
    for id in ids {
      let rows = try Row.fetchCursor(statement, arguments: [id])
      guard let row = try rows.next() else { throw UnreadableRow() }
      try use(Found(id: id, row: row, tags: tags))
    }
  }
}
