import DiaryCore
import Foundation
import GRDB

/// What one pass over the files of the disk and the rows of the catalogue, both ordered by path,
/// leaves to do.
struct SortedMerge {
  /// A row whose file the walk did not find.
  struct Missing {
    let path: EntryPath
    let readAt: Int64
  }

  /// To be read: new, changed, or not to be judged by their stamps.
  private(set) var unread: [EntryPath] = []
  private(set) var missing: [Missing] = []

  /// Whether nothing is left to do.
  var isEmpty: Bool { unread.isEmpty && missing.isEmpty }

  /// `files` ordered by path, as a walk that began at `walkedAt` (ns since 1970) found them.
  init(_ database: Database, files: [IndexedFile], walkedAt: Int64) throws {
    let rows = try Row.fetchCursor(
      try database.cachedStatement(
        sql: "SELECT path, size, modified, inode, mode, read_at FROM file ORDER BY path"))
    var next = files.startIndex
    while let row = try rows.next() {
      try row.withUnsafeData(atIndex: 0) { path in
        guard let path else { throw UnreadableRow() }
        while next < files.endIndex, order(files[next].path.bytes, path) < 0 {
          unread.append(files[next].path)
          next += 1
        }
        if next < files.endIndex, order(files[next].path.bytes, path) == 0 {
          if !(try row.isCurrent(files[next].stamp)) { unread.append(files[next].path) }
          next += 1
        } else {
          guard let gone = EntryPath(bytes: path) else { throw UnreadableRow() }
          note(gone, readAt: row[5], walkedAt: walkedAt)
        }
      }
    }
    unread.append(contentsOf: files[next...].map(\.path))
  }

  /// What another process read after this walk began may be there all the same: it is read again
  /// instead of being forgotten.
  private mutating func note(_ path: EntryPath, readAt: Int64, walkedAt: Int64) {
    if readAt < walkedAt {
      missing.append(Missing(path: path, readAt: readAt))
    } else {
      unread.append(path)
    }
  }
}

extension Row {
  /// Whether the file that this row of `file` was read from has surely not changed since.
  fileprivate func isCurrent(_ stamp: FileStamp) throws -> Bool {
    let modified: Int64 = self[2]
    guard self[1] == stamp.size, modified == stamp.modified,
      self[3] == Int64(bitPattern: stamp.inode), self[4] == Int64(stamp.mode)
    else { return false }
    return stamp.isTrustworthy(readAt: self[5])
  }
}

/// Negative, zero or positive, as `memcmp` and SQLite order bytes.
private func order(_ left: [UInt8], _ right: Data) -> Int {
  left.withUnsafeBytes { left in
    right.withUnsafeBytes { right in
      let shared = min(left.count, right.count)
      if shared > 0, let one = left.baseAddress, let other = right.baseAddress {
        let difference = memcmp(one, other, shared)
        if difference != 0 { return Int(difference) }
      }
      return left.count - right.count
    }
  }
}
