import CLinux
import DiaryCore
import Glibc

/// The result of a replacement.
package enum ReplaceResult: Sendable {
  /// The file was replaced. `displaced` is the displaced file, to be discarded when no program can
  /// write to it any more; `nil` if it could not be kept.
  case replaced(displaced: DisplacedFile?)
  /// Another program changed the file meanwhile, and it was not replaced. The value is its current
  /// bytes; `nil` if it was removed, in which case no file was created.
  case changed([UInt8]?)
}

extension JournalFolder {
  /// Replaces the file by `bytes` only if it contains `expected`.
  ///
  /// The new file is written in the same folder and flushed, then exchanged with the old one
  /// atomically. If the displaced file does not contain `expected`, both are exchanged back. Mode,
  /// owner and attributes are preserved as far as the system permits. The displaced file is moved
  /// to `displacedDirectory` (absolute, on the same file system), else it gets a hidden name in the
  /// same folder. `allowPlainRename` is for commands on file systems without exchange. Without
  /// `syncsName`, a power failure may leave the old bytes or the new ones.
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
    if case .replaced = outcome { recordWrite(bytes, at: path, replacing: expected) }
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

  /// Removes a file that contains `expected` (`nil`: any content). A missing file is no error. A
  /// changed file is not removed and is an error (``FileError/Reason/changed``).
  ///
  /// With `displacedDirectory`, the removed file is kept there as in a replacement; without it, the
  /// file is deleted. Without `syncs`, a power failure may leave the file in place.
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
    // Only under a name that no other program knows is it certain which file is removed.
    let removed = try? readFile(
      named: hiddenName, in: folder.number, displayPath: path.text, for: .remove)
    guard let removed, removed.bytes == expected else {
      // Rename it back. If the name is in use again, this file remains as a leftover.
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

  /// Opens a displaced file; `nil` if it cannot be opened: it then remains as a leftover.
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
    // Another file system, or no such folder: the file keeps its hidden name.
    let displayPath = (path.folder.map { $0.bytes + "/".utf8 } ?? []) + bare
    let folderDescriptor = fcntl(folder.number, F_DUPFD_CLOEXEC, 0)
    return DisplacedFile(
      original: original, displayPath: displayPath, descriptor: descriptor,
      directory: folderDescriptor, name: name)
  }
}

/// True if the file has hard links that are not Diary's own. A killed Diary may have left a hidden
/// one in the same folder, and a power failure one in the folder for displaced files.
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

/// Copies owner, attributes and mode to the new file, in this order: a change of owner clears mode
/// bits, and an access list is part of the mode.
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
