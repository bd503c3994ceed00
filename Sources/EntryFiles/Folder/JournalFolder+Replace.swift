import CLinux
import DiaryCore
import Glibc

/// How a replacement went.
package enum Replacement: Sendable {
  /// It is done. `aside` is what stood there, to be discarded when nothing can arrive in it any
  /// more; `nil` where it could not be kept.
  case done(aside: DisplacedFile?)
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
    asideDirectory: String? = nil, allowPlainRename: Bool = false, syncsName: Bool = true
  ) throws(FileError) -> Replacement {
    guard let old = try openToRead(path, for: .replace) else { return .changed(nil) }
    let current = try readConsistently(old, showing: path.text, limit: Self.usualLimit)
    guard current.bytes == expected, current.isConsistent else { return .changed(current.bytes) }
    let folder = try openFolder(of: path, for: .replace)
    if try hasOtherNames(old, in: folder, aside: asideDirectory, showing: path.text) {
      throw FileError(.replace, path.text, .linked)
    }
    let file = try TempFile(in: folder.number, mode: 0o600, showing: path.text, for: .replace)
    try copyMetadata(file, like: old, showing: path.text)
    try file.write(bytes)
    let swap = AtomicExchange(
      folder: folder.number, path: path, file: file, expected: expected, new: bytes)
    let outcome = try swap.run(allowPlainRename: allowPlainRename)
    if syncsName, let code = synchronize(folder.number) {
      throw FileError(.replace, path.text, code: code)
    }
    switch outcome {
    case .changed(let now): return .changed(now)
    case .out(let name):
      return .done(aside: name.flatMap { setAside($0, folder, expected, asideDirectory, path) })
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
    _ path: EntryPath, expecting expected: [UInt8]?, asideDirectory: String? = nil,
    syncs: Bool = true
  ) throws(FileError) -> DisplacedFile? {
    guard let text = try read(path) else { return nil }
    let expected = expected ?? text.bytes
    guard text.bytes == expected else { throw FileError(.remove, path.text, .changed) }
    let folder = try openFolder(of: path, for: .remove)
    let hidden = TempFile.freshName()
    guard renameat(folder.number, path.terminatedName, folder.number, hidden) == 0 else {
      if errno == ENOENT { return nil }
      throw FileError(.remove, path.text, code: errno)
    }
    // Only now, under a name that nobody else knows, is it certain what is being removed.
    let out = try? look(at: hidden, in: folder.number, showing: path.text, for: .remove)
    guard let out, out.bytes == expected else {
      // Back to its name; if a newer file has taken that, this one stays as a leftover, unlost.
      try? give(hidden, in: folder.number, theNameOf: path, in: folder.number, for: .remove)
      throw FileError(.remove, path.text, out == nil ? .notRegular : .changed)
    }
    let aside = asideDirectory.flatMap { setAside(hidden, folder, expected, $0, path) }
    if aside == nil, unlinkat(folder.number, hidden, 0) != 0 {
      throw FileError(.remove, path.text, code: errno)
    }
    if syncs, let code = synchronize(folder.number) {
      throw FileError(.remove, path.text, code: code)
    }
    return aside
  }

  /// `nil` when it cannot be opened any more; it then stays beside the entry as a leftover.
  private func setAside(
    _ name: [CChar], _ folder: borrowing Descriptor, _ original: [UInt8], _ directory: String?,
    _ path: EntryPath
  ) -> DisplacedFile? {
    let number = openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0)
    guard number >= 0 else { return nil }
    let descriptor = Descriptor(owning: number)
    let bare = name.dropLast().map { UInt8(bitPattern: $0) }
    if let directory {
      let place = Array("\(directory)/".utf8) + bare
      if renameat(folder.number, name, AT_FDCWD, terminated(place)) == 0 {
        return DisplacedFile(
          original: original, place: place, descriptor: descriptor, holder: AT_FDCWD,
          name: terminated(place))
      }
    }
    // Another file system, or no such folder: it stays beside the entry, hidden.
    let place = (path.folder.map { $0.bytes + "/".utf8 } ?? []) + bare
    let holder = fcntl(folder.number, F_DUPFD_CLOEXEC, 0)
    return DisplacedFile(
      original: original, place: place, descriptor: descriptor, holder: holder, name: name)
  }
}

/// Whether the file has names (hard links) that are not Diary's own: a Diary that was killed may have
/// left a hidden one beside it, and a cut of the power one in the folder where it sets files aside.
private func hasOtherNames(
  _ file: borrowing Descriptor, in folder: borrowing Descriptor, aside: String?,
  showing path: String
) throws(FileError) -> Bool {
  let facts = try facts(of: file, showing: path)
  guard facts.st_nlink > 1 else { return false }
  func ownNames(in folder: Int32) -> Int {
    (listFolder(folder) ?? []).count { entry in
      var other = stat()
      return TempFile.isName(entry.name)
        && fstatat(folder, terminated(entry.name), &other, AT_SYMLINK_NOFOLLOW) == 0
        && other.st_ino == facts.st_ino && other.st_dev == facts.st_dev
    }
  }
  var own = ownNames(in: folder.number)
  if let aside {
    let number = open(aside, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if number >= 0 {
      let holder = Descriptor(owning: number)
      own += ownNames(in: holder.number)
    }
  }
  return facts.st_nlink > 1 + UInt(own)
}

/// Gives the new file the old one's owner, attributes and mode, in this order: a change of owner
/// takes mode bits away, and an access list shows in the mode.
private func copyMetadata(
  _ file: TempFile, like old: borrowing Descriptor, showing path: String
) throws(FileError) {
  let facts = try facts(of: old, showing: path)
  if fchown(file.descriptor, facts.st_uid, facts.st_gid) != 0 {
    _ = fchown(file.descriptor, uid_t.max, facts.st_gid)
  }
  diary_copy_attributes(old.number, file.descriptor)
  guard fchmod(file.descriptor, facts.st_mode & 0o777) == 0 || errno == EPERM else {
    throw FileError(.replace, path, code: errno)
  }
}

/// Reads a file by its name in an open folder.
func look(
  at name: [CChar], in folder: Int32, showing path: String, for operation: FileError.Operation
) throws(FileError) -> FileContents {
  let number = retrying {
    openat(folder, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0)
  }
  guard number >= 0 else { throw FileError(operation, path, code: errno) }
  return try readConsistently(
    Descriptor(owning: number), showing: path, limit: JournalFolder.usualLimit)
}
