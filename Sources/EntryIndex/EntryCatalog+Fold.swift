import DiaryCore
import Dispatch
import GRDB

extension EntryCatalog {
  /// Folds the texts that a long update left for the first search: a journal's list should not wait
  /// for them. Nothing is done when all are there.
  public func foldTheRest() throws(CatalogError) {
    guard try ask("look into", { try Schema.fact($0, Schema.unfolded) }) != nil else { return }
    var isDone = false
    while !isDone {
      let (texts, rows) = try ask("look into") {
        (try UnfoldedText.some($0), try Schema.fact($0, Schema.Counter.files.rawValue))
      }
      let folded = texts.folded()
      isDone = texts.isEmpty
      try tell { database in
        // Somebody has changed entries meanwhile: look again.
        guard try Schema.fact(database, Schema.Counter.files.rawValue) == rows else {
          isDone = false
          return
        }
        if isDone {
          try database.execute(sql: "DELETE FROM fact WHERE name = ?", arguments: [Schema.unfolded])
        }
        let statement = try DirectStatement(
          database,
          sql: "INSERT OR IGNORE INTO folded(entry, text) SELECT id, ? FROM entry WHERE id = ?")
        for (id, bytes) in folded {
          statement.bind(1, bytes)
          statement.bind(2, id)
          try statement.run()
        }
      }
    }
  }
}

/// What is to be folded of one entry.
private struct UnfoldedText: Sendable {
  let id: Int64
  let title: String
  let body: String
  let header: String
  let tags: [String]

  /// The next of them, as many as fit in memory well.
  static func some(_ database: Database) throws -> [UnfoldedText] {
    let tags = try KnownTags(database, isWhole: true)
    let row = try DirectStatement(
      database,
      sql: """
        SELECT entry.id, entry.title, source.body, source.header
        FROM entry JOIN source ON source.entry = entry.id
        WHERE entry.id NOT IN (SELECT entry FROM folded) LIMIT 20000
        """)
    var found: [UnfoldedText] = []
    while try row.next() {
      let id = try row.number(0)
      found.append(
        UnfoldedText(
          id: id, title: try row.text(1), body: try row.text(2), header: try row.text(3),
          tags: try tags[id]))
    }
    return found
  }

  var folded: (Int64, [UInt8]) {
    (id, SearchText.fields(title: title, body: body, header: header, tags: tags))
  }
}

extension [UnfoldedText] {
  /// Side by side on the machine's processors.
  fileprivate func folded() -> [(Int64, [UInt8])] {
    sideBySide(self, portion: 256, \.folded).sorted { $0.0 < $1.0 }
  }
}
