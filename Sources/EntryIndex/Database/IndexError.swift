import GRDB
import Localization

/// An error of the index.
package enum IndexError: Error, Sendable, Equatable {
  /// The database was damaged and has been discarded: update the index, then query again.
  case damaged(path: String)
  /// An update of single paths was requested before the first full update.
  case incomplete(path: String)
  /// An invalid regular expression.
  case pattern(String, reason: String)
  /// An error of SQLite; `code` is its extended result code, or 0 if there is none.
  case database(operation: String, path: String, code: Int, message: String)

  init(_ operation: String, path: String, _ error: any Error) {
    switch error {
    case let known as IndexError: self = known
    case let refused as DatabaseError:
      self = .database(
        operation: operation, path: path, code: Int(refused.extendedResultCode.rawValue),
        message: refused.message ?? refused.resultCode.description)
    default:
      self = .database(operation: operation, path: path, code: 0, message: "\(error)")
    }
  }
}

extension IndexError: CustomStringConvertible {
  /// One sentence with the path of the index.
  package var description: String {
    switch self {
    case .damaged(let path):
      localized("the index \(path) was damaged; the next update rebuilds it")
    case .incomplete(let path): localized("the index \(path) does not contain all entries yet")
    case .pattern(let pattern, let reason):
      localized("invalid regular expression \"\(pattern)\"") + (reason.isEmpty ? "" : ": \(reason)")
    case .database(let operation, let path, let code, let message):
      localized("cannot \(operation) \(path): \(message) (SQLite \(code))")
    }
  }
}

/// An error: a row contains values that no update writes.
struct UnreadableRow: Error {}

/// True if an error means that the database is damaged or not an index; false if the disk or
/// another process caused it.
func isCorruption(_ error: any Error) -> Bool {
  guard let refused = error as? DatabaseError else { return error is UnreadableRow }
  switch refused.extendedResultCode {
  // The open file was unlinked or truncated.
  case .SQLITE_READONLY_DBMOVED, .SQLITE_IOERR_SHORT_READ: return true
  default: break
  }
  switch refused.resultCode {
  // A missing table or column gives ERROR. An index that does not match its table gives CONSTRAINT.
  case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT, .SQLITE_ERROR, .SQLITE_CONSTRAINT,
    .SQLITE_MISMATCH, .SQLITE_CANTOPEN:
    return true
  default: return false
  }
}
