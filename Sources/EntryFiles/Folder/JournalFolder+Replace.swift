import CLinux
import DiaryCore
import Glibc

/// How a replacement went.
package enum ReplaceResult: Sendable {
  /// It is done. `aside` is what stood there, to be discarded when nothing can arrive in it any
  /// more; `nil` where it could not be kept.
  case replaced(displaced: DisplacedFile?)
  /// Somebody else wrote the file meanwhile and it was left alone. These are its bytes; `nil` when
  /// it is gone, and then none was made.
  case changed([UInt8]?)
}

extension JournalFolder {
  /// Puts `bytes` in the place of `expected`, and of nothing else.
  ///
  /// The new file is written beside the old one, made durable, and the two change places in one
  /// step; then what came out is looked at, and if it is not what was expected, they change back.
  /// Mode, owner and attributes are kept as far as the system permits. What came out goes to
  /// `asideDirectory` (absolute, on the same file system), else stays beside under a hidden name.
  /// `allowPlainRename` is for commands where the file system cannot exchange. Without `syncsName` the
  /// disk may have the old bytes or the new ones after a cut of the power.
  package func replace(
    _ path: EntryPath, expecting expected: [UInt8], with bytes: [UInt8],
    displacedDirectory: String? = nil, allowPlainRename: Bool = false, syncsName: Bool = true
  ) throws(FileError) -> ReplaceResult {
    guard let old = try openToRead(path, for: .replace) else { return .changed(nil) }
    let current = try readConsistently(old, displayPath: path.text, limit: Self.defaultLimit)
    guard current.bytes == expected, current.isConsistent else { return .changed(current.bytes) }
    let folder = try openFolder(of: path, for: .replace)
    if try hasForeignHardLinks(
      old, in: folder, displacedDirectory: displacedDirectory, displayPath: path.text)
    {
      throw FileError(.replace, path.text, .hardLinked)
    }
    let file = try TempFile(in: folder.number, mode: 0o600, displayPath: path.text, for: .replace)
    try copyMetadata(to: file, from: old, displayPath: path.text)
    try file.write(bytes)
    let exchange = AtomicExchange(
      folder: folder.number, path: path, file: file, expected: expected, new: bytes)
    let outcome = try exchange.run(allowPlainRename: allowPlainRename)
    if syncsName, let code = syncToDisk(folder.number) {
      throw FileError(.replace, path.text, code: code)
    }
    switch outcome {
    case .changed(let now): return .changed(now)
    case .replaced(let name):
      return .replaced(
        displaced: name.flatMap {
          makeDisplacedFile($0, folder, expected, displacedDirectory, path)
        })
    }
  }

  /// Takes the file away if it holds `expected` (`nil`: whatever it holds); one that is gone already
  /// is no error, one that was changed is (``FileError/Reason/changed``), and stays.
  ///
  /// With `asideDirectory`, what was taken away is kept there as in
  /// ``replace(_:expecting:with:asideDirectory:allowPlainRename:)``; without, it is gone. Without
  /// `syncs` the disk may still have it after a cut of the power.
  @discardableResult
  package func remove(
    _ path: EntryPath, expecting expected: [UInt8]?, displacedDirectory: String? = nil,
    syncs: Bool = true
  ) throws(FileError) -> DisplacedFile? {
    guard let text = try read(path) else { return nil }
    let expected = expected ?? text.bytes
    guard text.bytes == expected else { throw FileError(.remove, path.text, .changed) }
    let folder = try openFolder(of: path, for: .remove)
    let hiddenName = TempFile.makeName()
    guard renameat(folder.number, path.nameCString, folder.number, hiddenName) == 0 else {
      if errno == ENOENT { return nil }
      throw FileError(.remove, path.text, code: errno)
    }
    // Only now, under a name that nobody else knows, is it certain what is being removed.
    let removed = try? readFile(
      named: hiddenName, in: folder.number, displayPath: path.text, for: .remove)
    guard let removed, removed.bytes == expected else {
      // Back to its name; if a newer file has taken that, this one stays as a leftover, unlost.
      try? renameNoReplace(hiddenName, in: folder.number, to: path, in: folder.number, for: .remove)
      throw FileError(.remove, path.text, removed == nil ? .notRegular : .changed)
    }
    let displaced = displacedDirectory.flatMap {
      makeDisplacedFile(hiddenName, folder, expected, $0, path)
    }
    if displaced == nil, unlinkat(folder.number, hiddenName, 0) != 0 {
      throw FileError(.remove, path.text, code: errno)
    }
    if syncs, let code = syncToDisk(folder.number) {
      throw FileError(.remove, path.text, code: code)
    }
    return displaced
  }

  /// `nil` when it cannot be opened any more; it then stays beside the entry as a leftover.
  private func makeDisplacedFile(
    _ name: [CChar], _ folder: borrowing Descriptor, _ original: [UInt8], _ directory: String?,
    _ path: EntryPath
  ) -> DisplacedFile? {
    let number = openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0)
    guard number >= 0 else { return nil }
    let descriptor = Descriptor(owning: number)
    let bare = name.dropLast().map { UInt8(bitPattern: $0) }
    if let directory {
      let targetPath = Array("\(directory)/".utf8) + bare
      if renameat(folder.number, name, AT_FDCWD, cString(targetPath)) == 0 {
        return DisplacedFile(
          original: original, displayPath: targetPath, descriptor: descriptor, directory: AT_FDCWD,
          name: cString(targetPath))
      }
    }
    // Another file system, or no such folder: it stays beside the entry, hidden.
    let displayPath = (path.folder.map { $0.bytes + "/".utf8 } ?? []) + bare
    let folderDescriptor = fcntl(folder.number, F_DUPFD_CLOEXEC, 0)
    return DisplacedFile(
      original: original, displayPath: displayPath, descriptor: descriptor,
      directory: folderDescriptor, name: name)
  }
}

/// Whether the file has names (hard links) that are not Diary's own: a Diary that was killed may have
/// left a hidden one beside it, and a cut of the power one in the folder where it sets files aside.
private func hasForeignHardLinks(
  _ file: borrowing Descriptor, in folder: borrowing Descriptor, displacedDirectory: String?,
  displayPath path: String
) throws(FileError) -> Bool {
  let status = try status(of: file, displayPath: path)
  guard status.st_nlink > 1 else { return false }
  func temporaryLinkCount(in folder: Int32) -> Int {
    (listFolder(folder) ?? []).count { entry in
      var other = stat()
      return TempFile.isName(entry.name)
        && fstatat(folder, cString(entry.name), &other, AT_SYMLINK_NOFOLLOW) == 0
        && other.st_ino == status.st_ino && other.st_dev == status.st_dev
    }
  }
  var temporaryLinks = temporaryLinkCount(in: folder.number)
  if let displacedDirectory {
    let number = open(displacedDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if number >= 0 {
      let directory = Descriptor(owning: number)
      temporaryLinks += temporaryLinkCount(in: directory.number)
    }
  }
  return status.st_nlink > 1 + UInt(temporaryLinks)
}

/// Gives the new file the old one's owner, attributes and mode, in this order: a change of owner
/// takes mode bits away, and an access list shows in the mode.
private func copyMetadata(
  to file: TempFile, from old: borrowing Descriptor, displayPath path: String
) throws(FileError) {
  let status = try status(of: old, displayPath: path)
  if fchown(file.descriptor, status.st_uid, status.st_gid) != 0 {
    _ = fchown(file.descriptor, uid_t.max, status.st_gid)
  }
  diary_copy_attributes(old.number, file.descriptor)
  guard fchmod(file.descriptor, status.st_mode & 0o777) == 0 || errno == EPERM else {
    throw FileError(.replace, path, code: errno)
  }
}

/// Reads a file by its name in an open folder.
func readFile(
  named name: [CChar], in folder: Int32, displayPath path: String,
  for operation: FileError.Operation
) throws(FileError) -> FileContents {
  let number = retryOnInterrupt {
    openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0)
  }
  guard number >= 0 else { throw FileError(operation, path, code: errno) }
  return try readConsistently(
    Descriptor(owning: number), displayPath: path, limit: JournalFolder.defaultLimit)
}
