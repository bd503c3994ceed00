import DiaryCore
import GRDB
import Glibc

/// What one pass over the files of the disk and the rows of the catalogue, both ordered by path,
/// leaves to do.
struct ScanDiff {
  /// A row whose file the walk did not find.
  struct MissingRow {
    let path: EntryPath
    let readAt: Int64
  }

  /// To be read: new, changed, or not to be judged by their stamps.
  private(set) var toRead: [EntryPath] = []
  private(set) var missing: [MissingRow] = []

  /// `files` ordered by path, as a walk that began at `walkedAt` (ns since 1970) found them.
  init(_ database: Database, files: [IndexedFile], scanStartedAt: Int64) throws {
    let row = try RawStatement(
      database, sql: "SELECT path, size, modified, inode, mode, read_at FROM file ORDER BY path")
    var next = 0
    while try row.next() {
      let path = try row.bytes(0)
      while next < files.count, compareBytes(files[next].path.bytes, path) < 0 {
        toRead.append(files[next].path)
        next += 1
      }
      if next < files.count, compareBytes(files[next].path.bytes, path) == 0 {
        if !(try row.isUnchanged(files[next].signature)) { toRead.append(files[next].path) }
        next += 1
      } else {
        addMissing(try row.path(0), readAt: try row.number(5), scanStartedAt: scanStartedAt)
      }
    }
    toRead += files[next...].map(\.path)
  }

  /// What another process read after this walk began may be there all the same: it is read again
  /// instead of being forgotten.
  private mutating func addMissing(_ path: EntryPath, readAt: Int64, scanStartedAt: Int64) {
    if readAt < scanStartedAt {
      missing.append(MissingRow(path: path, readAt: readAt))
    } else {
      toRead.append(path)
    }
  }
}

extension RawStatement {
  /// Whether the file that this row of `file` was read from has surely not changed since.
  fileprivate func isUnchanged(_ signature: FileSignature) throws -> Bool {
    guard try number(1) == signature.size, try number(2) == signature.modified,
      try number(3) == Int64(bitPattern: signature.inode), try number(4) == Int64(signature.mode)
    else { return false }
    return signature.isReliable(readAt: try number(5))
  }
}

/// Negative, zero or positive, as `memcmp` and SQLite order bytes.
private func compareBytes(_ left: [UInt8], _ right: UnsafeRawBufferPointer) -> Int {
  let shared = min(left.count, right.count)
  if shared > 0, let other = right.baseAddress {
    let difference = memcmp(left, other, shared)
    if difference != 0 { return Int(difference) }
  }
  return left.count - right.count
}
