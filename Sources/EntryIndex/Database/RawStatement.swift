import DiaryCore
import GRDB
import GRDBSQLite

/// A statement that reads and binds values without copies. GRDB makes a value for each column,
/// which for ten thousand rows takes several times as long as SQLite itself.
struct RawStatement {
  /// Keeps `handle` valid.
  private let statement: Statement
  private let handle: SQLiteStatement

  init(_ database: Database, sql: String, _ values: [DatabaseValue] = []) throws {
    statement = try database.makeStatement(sql: sql)
    handle = statement.sqliteStatement
    if !values.isEmpty { statement.setUncheckedArguments(StatementArguments(values)) }
  }

  init(cached sql: String, in database: Database) throws {
    statement = try database.cachedStatement(sql: sql)
    handle = statement.sqliteStatement
  }

  /// Runs a statement without rows.
  func run(_ values: [DatabaseValue]) throws {
    defer { reset() }
    for (index, value) in values.enumerated() { _ = value.bind(to: handle, at: Int32(index + 1)) }
    _ = try next()
  }

  /// Advances to the next row; returns false after the last.
  func next() throws -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw databaseError
    }
  }

  /// Resets the statement for another run; bound values are retained.
  func reset() { sqlite3_reset(handle) }

  private var databaseError: DatabaseError {
    let connection = sqlite3_db_handle(handle)
    return DatabaseError(
      resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
      message: sqlite3_errmsg(connection).map { String(cString: $0) })
  }
}

/// The columns of the current row, counted from 0.
extension RawStatement {
  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// An integer column that is never NULL.
  func number(_ column: Int32) throws -> Int64 {
    guard sqlite3_column_type(handle, column) == SQLITE_INTEGER else { throw UnreadableRow() }
    return sqlite3_column_int64(handle, column)
  }

  func integer(_ column: Int32) throws -> Int? {
    isNull(column) ? nil : Int(try number(column))
  }

  func real(_ column: Int32) -> Double? {
    isNull(column) ? nil : sqlite3_column_double(handle, column)
  }

  /// The bytes of a blob or text, valid until the next row; empty for NULL.
  func bytes(_ column: Int32) throws -> UnsafeRawBufferPointer {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_NULL: return UnsafeRawBufferPointer(start: nil, count: 0)
    case SQLITE_BLOB, SQLITE_TEXT:
      let start = sqlite3_column_blob(handle, column)
      return UnsafeRawBufferPointer(
        start: start, count: Int(sqlite3_column_bytes(handle, column)))
    default: throw UnreadableRow()
    }
  }

  /// The text of a blob column; empty for NULL.
  func text(_ column: Int32) throws -> String { try EntryIndex.text(bytes(column)) }

  func path(_ column: Int32) throws -> EntryPath {
    guard let path = EntryPath(bytes: try bytes(column)) else { throw UnreadableRow() }
    return path
  }
}

extension RawStatement {
  /// Binds a value for the next run; parameters count from 1.
  func bind(_ number: Int32, _ value: Int64) { sqlite3_bind_int64(handle, number, value) }
}

/// The text of a blob.
func text(_ bytes: UnsafeRawBufferPointer) throws -> String {
  do {
    return String(copying: try UTF8Span(validating: bytes.bindMemory(to: UInt8.self).span))
  } catch { throw UnreadableRow() }
}
