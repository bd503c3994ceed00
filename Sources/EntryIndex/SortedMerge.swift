import DiaryCore
import GRDB
import Glibc

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
  /// The runs in which that was found; a row whose file is gone belongs to the file before it, or to
  /// the first.
  private(set) var differing: Set<Int> = []

  /// Whether nothing is left to do.
  var isEmpty: Bool { unread.isEmpty && missing.isEmpty }

  /// `files` ordered by path, as a walk that began at `walkedAt` (ns since 1970) found them; only in
  /// those stretches of them may they be anything else than the rows are.
  init(
    _ database: Database, files: [IndexedFile], _ seen: FilesPrint, in stretches: [Range<Int>],
    walkedAt: Int64
  ) throws {
    let row = try DirectStatement(
      database,
      sql: """
        SELECT path, size, modified, inode, mode, read_at FROM file WHERE path > ? ORDER BY path
        """)
    for stretch in stretches {
      // No path has a NUL.
      row.bind(1, stretch.lowerBound == 0 ? [0] : files[stretch.lowerBound - 1].path.bytes)
      try compare(row, files, seen, stretch, walkedAt: walkedAt)
      row.restart()
    }
  }

  /// Compares files of the walk with the rows from these on, up to the file that comes after them.
  private mutating func compare(
    _ row: DirectStatement, _ files: [IndexedFile], _ seen: FilesPrint, _ stretch: Range<Int>,
    walkedAt: Int64
  ) throws {
    var next = stretch.lowerBound
    let end = stretch.upperBound < files.endIndex ? files[stretch.upperBound].path.bytes : nil
    func read(_ file: Int) {
      unread.append(files[file].path)
      differing.insert(seen.run(of: file))
    }
    while try row.next() {
      let path = try row.bytes(0)
      if let end, order(end, path) <= 0 { break }
      while next < stretch.upperBound, order(files[next].path.bytes, path) < 0 {
        read(next)
        next += 1
      }
      if next < stretch.upperBound, order(files[next].path.bytes, path) == 0 {
        if !(try row.isCurrent(files[next].stamp)) { read(next) }
        next += 1
      } else {
        note(try row.path(0), readAt: try row.number(5), walkedAt: walkedAt)
        differing.insert(seen.run(of: next - 1))
      }
    }
    while next < stretch.upperBound {
      read(next)
      next += 1
    }
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

extension DirectStatement {
  /// Whether the file that this row of `file` was read from has surely not changed since.
  fileprivate func isCurrent(_ stamp: FileStamp) throws -> Bool {
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
