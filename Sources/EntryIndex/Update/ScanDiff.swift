import DiaryCore
import GRDB
import Glibc

/// What one pass over the files of the disk and the rows of the catalogue, both ordered by path,
/// leaves to do.
struct ScanDiff {
  /// A row whose file the walk did not find.
  struct Missing {
    let path: EntryPath
    let readAt: Int64
  }

  /// To be read: new, changed, or not to be judged by their stamps.
  private(set) var unread: [EntryPath] = []
  private(set) var missing: [Missing] = []

  /// `files` ordered by path, as a walk that began at `walkedAt` (ns since 1970) found them.
  init(_ database: Database, files: [IndexedFile], walkedAt: Int64) throws {
    let row = try RawStatement(
      database, sql: "SELECT path, size, modified, inode, mode, read_at FROM file ORDER BY path")
    var next = 0
    while try row.next() {
      let path = try row.bytes(0)
      while next < files.count, order(files[next].path.bytes, path) < 0 {
        unread.append(files[next].path)
        next += 1
      }
      if next < files.count, order(files[next].path.bytes, path) == 0 {
        if !(try row.isCurrent(files[next].stamp)) { unread.append(files[next].path) }
        next += 1
      } else {
        note(try row.path(0), readAt: try row.number(5), walkedAt: walkedAt)
      }
    }
    unread += files[next...].map(\.path)
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

extension RawStatement {
  /// Whether the file that this row of `file` was read from has surely not changed since.
  fileprivate func isCurrent(_ stamp: FileSignature) throws -> Bool {
    guard try number(1) == stamp.size, try number(2) == stamp.modified,
      try number(3) == Int64(bitPattern: stamp.inode), try number(4) == Int64(stamp.mode)
    else { return false }
    return stamp.isTrustworthy(readAt: try number(5))
  }
}

/// Negative, zero or positive, as `memcmp` and SQLite order bytes.
private func order(_ left: [UInt8], _ right: UnsafeRawBufferPointer) -> Int {
  let shared = min(left.count, right.count)
  if shared > 0, let other = right.baseAddress {
    let difference = memcmp(left, other, shared)
    if difference != 0 { return Int(difference) }
  }
  return left.count - right.count
}
