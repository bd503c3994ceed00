import GRDB
import Localization

/// Why the catalogue could not answer.
package enum IndexError: Error, Sendable, Equatable {
  /// The database was damaged and has been given up: bring the catalogue up to date and ask again.
  case damaged(path: String)
  /// Some paths were to be updated before all files had been seen once: update all files first.
  case incomplete(path: String)
  /// A regular expression that cannot be read.
  case pattern(String, reason: String)
  /// SQLite refused; `code` is its extended result code, 0 when there is none.
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
  /// One sentence that names the file.
  package var description: String {
    switch self {
    case .damaged(let path):
      localized("the index \(path) was damaged and is made again at the next update")
    case .incomplete(let path): localized("the index \(path) has not seen all entries yet")
    case .pattern(let pattern, let reason):
      localized("invalid regular expression \"\(pattern)\"") + (reason.isEmpty ? "" : ": \(reason)")
    case .database(let operation, let path, let code, let message):
      localized("cannot \(operation) \(path): \(message) (SQLite \(code))")
    }
  }
}

/// A row that holds what no update ever wrote.
struct UnreadableRow: Error {}

/// Whether an error means that the file is no (whole) catalogue any more, rather than that the disk
/// or another process refused.
func isCorruption(_ error: any Error) -> Bool {
  guard let refused = error as? DatabaseError else { return error is UnreadableRow }
  switch refused.extendedResultCode {
  // The file was unlinked under us, or cut short.
  case .SQLITE_READONLY_DBMOVED, .SQLITE_IOERR_SHORT_READ: return true
  default: break
  }
  switch refused.resultCode {
  // ERROR is what a missing table or column gives, CONSTRAINT what an index that disagrees with
  // its table gives.
  case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_FORMAT, .SQLITE_ERROR, .SQLITE_CONSTRAINT,
    .SQLITE_MISMATCH, .SQLITE_CANTOPEN:
    return true
  default: return false
  }
}
