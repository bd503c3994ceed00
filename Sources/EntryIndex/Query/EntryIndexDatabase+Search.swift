import DiaryCore
import Foundation
import GRDB

extension EntryIndexDatabase {
  /// The entries that match the filter and at least one alternative of the query, newest first. A
  /// query without a term has no hits.
  ///
  /// - Parameter isMarked: True to return the ranges of the matches in lines and titles.
  package func search(
    _ query: SearchQuery, _ filter: ListFilter = ListFilter(), isMarked: Bool = true
  ) throws(IndexError) -> [SearchHit] {
    switch query {
    case .anyOf(let alternatives):
      let search = TermSearch(alternatives, isMarked: isMarked)
      guard !search.alternatives.isEmpty else { return [] }
      return try read("search") { try search.hits($0, filter) }
    case .pattern(let pattern):
      let search = try PatternSearch(pattern)
      return try read("search") { try search.hits($0, filter) }
    }
  }
}

extension EntryIndexDatabase {
  /// The newest hits of a term search, without their numbers. The search stops at the filter's
  /// limit.
  package func searchNewest(
    _ query: SearchQuery, _ filter: ListFilter
  ) throws(IndexError) -> [SearchHit] {
    guard case .anyOf(let alternatives) = query else { return [] }
    let search = TermSearch(alternatives, isMarked: true)
    guard !search.alternatives.isEmpty else { return [] }
    return try read("search") { try search.newest($0, filter) }
  }

  /// The number of entries that ``searchNewest(_:_:)`` finds without a limit.
  package func hitCount(
    _ query: SearchQuery, _ filter: ListFilter
  ) throws(IndexError) -> Int {
    guard case .anyOf(let alternatives) = query else { return 0 }
    let search = TermSearch(alternatives, isMarked: false)
    guard !search.alternatives.isEmpty else { return 0 }
    return try read("search") { try search.count($0, filter) }
  }
}

/// A search for terms, inside a transaction.
///
/// It scans all folded texts. So one rule finds any part of a word in any script, which costs less
/// than a trigram index that must be kept up to date.
private struct TermSearch {
  let alternatives: [FoldedAlternative]

  let isMarked: Bool

  init(_ alternatives: [SearchQuery.Alternative], isMarked: Bool) {
    self.alternatives = alternatives.compactMap(FoldedAlternative.init)
    self.isMarked = isMarked
  }

  func hits(_ database: Database, _ filter: ListFilter) throws -> [SearchHit] {
    // `numberedIDs` removes ignored entries.
    var sql = "SELECT folded.entry, folded.text FROM folded"
    let condition = filter.condition
    if !filter.isUnfiltered {
      sql += " JOIN entry ON entry.id = folded.entry WHERE \(condition.sql)"
    }
    let row = try RawStatement(database, sql: sql, filter.isUnfiltered ? [] : condition.values)
    var matching: Set<Int64> = []
    while try row.next() { if try matches(row.bytes(1)) { matching.insert(try row.number(0)) } }
    let found = try ListQueries.numberedIDs(database, of: matching)
    return try read(filter.page(of: filter.isReversed ? found.reversed() : found), database, filter)
  }

  func newest(_ database: Database, _ filter: ListFilter) throws -> [SearchHit] {
    let condition = filter.condition
    // The index `newest` gives the order; CROSS JOIN makes `entry` the outer loop.
    let row = try RawStatement(
      database,
      sql: """
        SELECT entry.id, folded.text FROM entry CROSS JOIN folded ON folded.entry = entry.id
        WHERE \(condition.sql) ORDER BY \(Schema.newestFirst)
        """, condition.values)
    var found: [ListQueries.NumberedID] = []
    while found.count < filter.limit ?? .max, try row.next() {
      if try matches(row.bytes(1)) {
        found.append(ListQueries.NumberedID(id: try row.number(0), number: 0))
      }
    }
    return try read(found[...], database, filter)
  }

  func count(_ database: Database, _ filter: ListFilter) throws -> Int {
    let condition = filter.condition
    let row = try RawStatement(
      database,
      sql: "SELECT folded.text FROM entry JOIN folded ON folded.entry = entry.id WHERE "
        + condition.sql, condition.values)
    var count = 0
    while try row.next() { if try matches(row.bytes(0)) { count += 1 } }
    return count
  }

  private func read(
    _ page: ArraySlice<ListQueries.NumberedID>, _ database: Database, _ filter: ListFilter
  ) throws -> [SearchHit] {
    let lines = MatchLineFinder(
      alternatives.flatMap { $0.terms.map(\.typed) }, foldCache: isMarked ? FoldCache() : nil)
    var hits: [SearchHit?] = Array(repeating: nil, count: page.count)
    let wanted = Array(page)
    try HitReader(database).read(wanted.map(\.id)) { index, found in
      let listed = try found.summary(
        number: wanted[index].number, withPreview: filter.needsPreviews)
      hits[index] = SearchHit(summary: listed, match: try found.matchLine(lines, listed))
    }
    return try hits.map { hit in
      guard let hit else { throw UnreadableRow() }
      return hit
    }
  }

  private func matches(_ fields: UnsafeRawBufferPointer) -> Bool {
    alternatives.contains { $0.matches(fields) }
  }
}

/// Folded terms that an entry must contain, and terms that it must not contain.
private struct FoldedAlternative {
  /// A term as it was typed and, for one with a mark, as the start of a tag.
  typealias Forms = (typed: FoldedTerm, tagStart: FoldedTerm?)

  let terms: [Forms]
  let excludedTerms: [Forms]

  /// Fails if no term remains after folding.
  init?(_ alternative: SearchQuery.Alternative) {
    func folded(_ terms: [SearchQuery.Term]) -> [Forms] {
      terms.compactMap { FoldedTerm($0).map { ($0, $0.asTagStart) } }
    }
    terms = folded(alternative.terms)
    excludedTerms = folded(alternative.excluded)
    if terms.isEmpty, excludedTerms.isEmpty { return nil }
  }

  func matches(_ fields: UnsafeRawBufferPointer) -> Bool {
    func isIn(_ term: FoldedTerm) -> Bool {
      term.firstOffset(in: SearchText.part(term.scope, of: fields), from: 0) != nil
    }
    func occurs(_ forms: Forms) -> Bool { isIn(forms.typed) || forms.tagStart.map(isIn) == true }
    return terms.allSatisfy(occurs) && !excludedTerms.contains(where: occurs)
  }
}

/// Reads the rows of the entries that a search found.
struct HitReader {
  let database: Database

  init(_ database: Database) { self.database = database }

  /// The current row of a hit.
  struct HitRow {
    fileprivate let row: RawStatement
    fileprivate let tags: TagLookup

    func summary(number: Int, withPreview: Bool) throws -> EntrySummary {
      try EntrySummary(row, tags, number: number, withPreview: withPreview)
    }

    fileprivate func matchLine(_ lines: MatchLineFinder, _ listed: EntrySummary) throws -> MatchLine
    {
      let folded = try row.bytes(16)
      return try lines.line(
        of: listed, FieldText(written: row.bytes(15), folded: SearchText.field(1, of: folded)),
        FieldText(written: row.bytes(14), folded: SearchText.field(2, of: folded)))
    }
  }

  private static let query = """
    SELECT \(EntrySummary.columns(withPreview: true)), header, body, folded.text
    FROM entry JOIN source ON source.entry = entry.id JOIN folded ON folded.entry = entry.id
    """

  /// Calls `use` for each entry with its index in `ids`, in no particular order. More than 1000 are
  /// read in one pass over all rows.
  func read(_ ids: [Int64], _ use: (Int, HitRow) throws -> Void) throws {
    let tags = try TagLookup(database, isWhole: ids.count > 100)
    if ids.count > 1000 {
      let row = try RawStatement(database, sql: HitReader.query)
      let wanted = Dictionary(uniqueKeysWithValues: zip(ids, ids.indices))
      while try row.next() {
        if let index = wanted[try row.number(0)] { try use(index, HitRow(row: row, tags: tags)) }
      }
      return
    }
    let row = try RawStatement(database, sql: HitReader.query + " WHERE entry.id = ?")
    for (index, id) in ids.enumerated() {
      row.reset()
      row.bind(1, id)
      guard try row.next() else { throw UnreadableRow() }
      try use(index, HitRow(row: row, tags: tags))
    }
  }
}
