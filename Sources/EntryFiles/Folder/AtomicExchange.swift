import CLinux
import DiaryCore
import Glibc

/// Exchanges an entry with its new version, and back if another program has changed the entry.
struct AtomicExchange {
  let folder: Int32
  let path: EntryPath
  let file: TempFile
  let expected: [UInt8]
  let new: [UInt8]

  enum Outcome {
    /// The entry is replaced. The old version has this hidden name (`nil`: it could not be kept).
    case replaced([CChar]?)
    case changed([UInt8]?)
  }

  /// A file as it was found under the hidden name.
  private struct Version: Equatable {
    var inode: UInt64
    /// `nil` if it is not a regular file, or not readable.
    var bytes: [UInt8]?
  }

  func run(allowPlainRename: Bool) throws(FileError) -> Outcome {
    guard exchange() else {
      let code = errno
      if code == ENOENT { return .changed(nil) }
      guard isUnsupported(code) else { throw FileError(.replace, path.text, code: code) }
      guard allowPlainRename else { throw FileError(.replace, path.text, .cannotExchange) }
      return try replaceByRename()
    }
    let displaced = displacedVersion()
    if displaced.bytes == expected {
      file.isRetained = true
      return .replaced(file.name)
    }
    return try exchangeBack(displaced)
  }

  /// Exchanges back. The displaced file should then be the version that was put in place. If it is
  /// not, another program has saved over it in between: that version is newest and is put back.
  private func exchangeBack(_ first: Version) throws(FileError) -> Outcome {
    let ours = Version(inode: file.inode, bytes: new)
    var inPlace = ours
    var newest = first
    // Until the hidden name is known to belong to our version, it must not be deleted.
    file.isRetained = true
    for _ in 0..<16 {
      guard exchange() else {
        let code = errno
        // Another program removed the name. The displaced file may be the only copy.
        guard code == ENOENT else { throw FileError(.replace, path.text, code: code) }
        // If the name is in use again, the file remains as a leftover.
        restoreName()
        return try changed(newest)
      }
      let displaced = displacedVersion()
      if displaced == inPlace {
        // Any other version was overwritten by its own program: it remains as a leftover.
        if displaced == ours { file.isRetained = false }
        return try changed(newest)
      }
      inPlace = newest
      newest = displaced
    }
    throw FileError(.replace, path.text, .stillChanging)
  }

  private func changed(_ version: Version) throws(FileError) -> Outcome {
    guard let bytes = version.bytes else { throw FileError(.replace, path.text, .notRegular) }
    return .changed(bytes)
  }

  /// The file that now has the hidden name.
  private func displacedVersion() -> Version {
    if let text = try? readFile(named: file.name, in: folder, displayPath: path.text, for: .replace)
    {
      return Version(inode: text.signature.inode, bytes: text.isConsistent ? text.bytes : nil)
    }
    var status = stat()
    fstatat(folder, file.name, &status, AT_SYMLINK_NOFOLLOW)
    return Version(inode: UInt64(status.st_ino), bytes: nil)
  }

  /// Renames the displaced file back, if its name is free.
  private func restoreName() {
    _ = diary_renameat2(
      folder, file.name, folder, path.nameCString, DIARY_RENAME_NOREPLACE)
  }

  /// For file systems without exchange: links the old file to a second name, then renames.
  private func replaceByRename() throws(FileError) -> Outcome {
    let secondName = TempFile.makeName()
    let isLinked = linkat(folder, path.nameCString, folder, secondName, 0) == 0
    func removeSecondName() { if isLinked { unlinkat(folder, secondName, 0) } }
    let now: FileContents
    do {
      let name = isLinked ? secondName : path.nameCString
      now = try readFile(named: name, in: folder, displayPath: path.text, for: .replace)
    } catch {
      removeSecondName()
      if error.reason == .absent { return .changed(nil) }
      throw error
    }
    guard now.bytes == expected else {
      removeSecondName()
      return .changed(now.bytes)
    }
    guard renameat(folder, file.name, folder, path.nameCString) == 0 else {
      let code = errno
      removeSecondName()
      throw FileError(.replace, path.text, code: code)
    }
    file.isRetained = true
    return .replaced(isLinked ? secondName : nil)
  }

  private func exchange() -> Bool {
    diary_renameat2(folder, file.name, folder, path.nameCString, DIARY_RENAME_EXCHANGE) == 0
  }
}
