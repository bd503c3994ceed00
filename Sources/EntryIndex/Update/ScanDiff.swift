import DiaryCore
import GRDB
import Glibc

/// The differences between the files on disk and the rows of the index, from one pass over both in
/// path order.
struct ScanDiff {
  /// The files to read: new, changed, or not reliably identified by their signatures.
  private(set) var toRead: [EntryPath] = []
  /// The rows whose file the scan did not find. It may have come back since.
  private(set) var missing: [EntryPath] = []

  /// Compares `files`, in path order.
  init(_ database: Database, files: [FoundFile]) throws {
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
        if !(try row.isUnchanged(files[next])) { toRead.append(files[next].path) }
        next += 1
      } else {
        missing.append(try row.path(0))
      }
    }
    toRead += files[next...].map(\.path)
  }
}

extension RawStatement {
  /// True if the file of this row has certainly not changed since it was read. A write may set the
  /// modification time back, but not the time of the last change of the status.
  fileprivate func isUnchanged(_ file: FoundFile) throws -> Bool {
    let signature = file.signature
    guard try number(1) == signature.size, try number(2) == signature.modified,
      try number(3) == Int64(bitPattern: signature.inode), try number(4) == Int64(signature.mode)
    else { return false }
    return file.isReliable(readAt: try number(5))
  }
}

/// Compares bytes in the order of `memcmp` and SQLite: negative, zero or positive.
private func compareBytes(_ left: [UInt8], _ right: UnsafeRawBufferPointer) -> Int {
  let shared = min(left.count, right.count)
  if shared > 0, let other = right.baseAddress {
    let difference = memcmp(left, other, shared)
    if difference != 0 { return Int(difference) }
  }
  return left.count - right.count
}
