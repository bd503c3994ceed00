import GRDB

/// Which rows a catalogue has: never the same again once any of them was changed, whoever did it.
public struct RowsState: Hashable, Sendable {
  /// The database, whose name is never used twice; two versions never share one.
  let database: String
  /// How often rows were changed in it.
  var changes: Int

  /// In words that can be compared.
  public var text: String { "\(database) \(changes)" }
}

extension EntryCatalog {
  /// Which rows there are; `nil` while not every file has been seen, or nothing is kept on disk.
  public func rows() throws(CatalogError) -> RowsState? {
    let store = store
    return try ask("look into") { try store.rows($0) }
  }

  /// Uses the database that the link leads to by now, if another process has put it there. `false`
  /// where that was made under another version: it is theirs, and left to them.
  public func rejoin() -> Bool {
    let name = store.name
    guard let name, file.target != name else { return name != nil }
    guard let theirs = CatalogStore.existing(file, key: key) else { return false }
    use(theirs)
    return true
  }
}

extension CatalogStore {
  func rows(_ database: Database) throws -> RowsState? {
    guard let name, try Schema.fact(database, Schema.complete) != nil,
      let changes = try Schema.fact(database, Schema.Counter.files.rawValue).flatMap({ Int($0) })
    else { return nil }
    return RowsState(database: name, changes: changes)
  }
}
