import DiaryCore
import Glibc

extension GitIndex {
  /// A tracked path that a scan of the folder did not list.
  enum DiskState {
    case present(FoundFile)
    case absent
    /// A folder above it cannot be read.
    case unknown
  }

  /// Returns the paths at which the disk may differ from the index: new and removed ones, and files
  /// whose status is not the one that the index recorded, or was recorded in the same moment as the
  /// index was written. Modes that git may be told to ignore count as well.
  ///
  /// - Parameters:
  ///   - files: the files on disk with their paths in the repository, in the order of the paths.
  ///   - prefix: the journal's folder in the repository; other paths are not compared.
  ///   - writtenAt: the modification time of the index in nanoseconds since 1970.
  ///   - look: the state of a path that is not among `files`.
  func differences(
    from files: [FoundFile], below prefix: EntryPath?, writtenAt: Int64,
    look: (EntryPath) -> DiskState
  ) -> [EntryPath] {
    var found: [EntryPath] = []
    var next = 0
    for item in items[range(below: prefix)] {
      var order = -1
      while next < files.count {
        order = compare(files[next].path, item)
        guard order < 0 else { break }
        found.append(files[next].path)
        next += 1
      }
      if next < files.count, order == 0 {
        if !isUnchanged(item, files[next], writtenAt) { found.append(files[next].path) }
        next += 1
      } else if fileType(of: item) == S_IFREG || stage(of: item) > 0, let path = path(of: item) {
        switch look(path) {
        case .present(let file): if !isUnchanged(item, file, writtenAt) { found.append(path) }
        case .absent: if !isSkipWorktree(item) { found.append(path) }
        case .unknown: break
        }
      }
    }
    found += files[next...].map(\.path)
    return found
  }

  /// The positions of the entries below a folder.
  private func range(below prefix: EntryPath?) -> Range<Int> {
    guard let prefix else { return 0..<items.count }
    // In the order of bytes, `/` comes right before `0`.
    let start = position(of: prefix.bytes + [UInt8(ascii: "/")])
    return start..<position(of: prefix.bytes + [UInt8(ascii: "0")])
  }

  private func compare(_ path: EntryPath, _ item: EntryOffsets) -> Int {
    path.bytes.withUnsafeBytes { path in
      pathBytes.withUnsafeBytes { names in
        pathOrder(path, UnsafeRawBufferPointer(rebasing: names[item.path]))
      }
    }
  }

  private func isUnchanged(_ item: EntryOffsets, _ file: FoundFile, _ writtenAt: Int64) -> Bool {
    let mode = file.signature.mode
    let isExecutable = mode & S_IXUSR != 0
    return stage(of: item) == 0 && !hasFlags(item) && mode & S_IFMT == fileType(of: item)
      && isExecutable == (word(item, 24) & S_IXUSR != 0)
      && word(item, 36) == UInt32(truncatingIfNeeded: file.signature.size)
      && word(item, 20) == UInt32(truncatingIfNeeded: file.signature.inode)
      && time(item, 8) == file.signature.modified && time(item, 0) == file.statusChangedAt
      && file.signature.modified < writtenAt
  }

  /// True if git is told not to compare the entry with the disk, or has yet to add it.
  private func hasFlags(_ item: EntryOffsets) -> Bool {
    bytes[item.start + 60] & 0x80 != 0
      || item.fixedLength == 64 && bytes[item.start + 62] & 0x60 != 0
  }

  private func isSkipWorktree(_ item: EntryOffsets) -> Bool {
    item.fixedLength == 64 && bytes[item.start + 62] & 0x40 != 0
  }

  private func fileType(of item: EntryOffsets) -> UInt32 { word(item, 24) & S_IFMT }

  private func word(_ item: EntryOffsets, _ offset: Int) -> UInt32 {
    bytes.bigEndianUInt32(at: item.start + offset)
  }

  /// A time in nanoseconds since 1970.
  private func time(_ item: EntryOffsets, _ offset: Int) -> Int64 {
    Int64(word(item, offset)) * 1_000_000_000 + Int64(word(item, offset + 4))
  }
}
