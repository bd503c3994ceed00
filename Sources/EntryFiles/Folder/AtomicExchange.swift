import CLinux
import DiaryCore
import Glibc

/// The exchange of an entry with its new version, and back if somebody was faster.
struct AtomicExchange {
  let folder: Int32
  let path: EntryPath
  let file: TempFile
  let expected: [UInt8]
  let new: [UInt8]

  enum Outcome {
    /// The new version stands; the old one has this hidden name (`nil`: it could not be kept).
    case replaced([CChar]?)
    case changed([UInt8]?)
  }

  /// A file as it was found under the hidden name.
  private struct Version: Equatable {
    var inode: UInt64
    /// `nil`: not an ordinary file, or not readable.
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

  /// Changes back. What then comes out should be the version that we had put there; if it is not,
  /// somebody saved over ours in between, and that version, the newest, goes back in.
  private func exchangeBack(_ first: Version) throws(FileError) -> Outcome {
    let ours = Version(inode: file.inode, bytes: new)
    var inPlace = ours
    var newest = first
    // Until our own version is known to be under the hidden name, nothing there may be deleted.
    file.isRetained = true
    for _ in 0..<16 {
      guard exchange() else {
        let code = errno
        // Somebody took the name away; what came out may be the only copy.
        guard code == ENOENT else { throw FileError(.replace, path.text, code: code) }
        // Where the name is taken again by now, it stays as a leftover.
        restoreName()
        return try changed(newest)
      }
      let displaced = displacedVersion()
      if displaced == inPlace {
        // Any other than ours is a version that its own writer has overwritten: a leftover.
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

  /// What the hidden name holds now.
  private func displacedVersion() -> Version {
    if let text = try? readFile(named: file.name, in: folder, displayPath: path.text, for: .replace)
    {
      return Version(inode: text.signature.inode, bytes: text.isConsistent ? text.bytes : nil)
    }
    var status = stat()
    fstatat(folder, file.name, &status, AT_SYMLINK_NOFOLLOW)
    return Version(inode: UInt64(status.st_ino), bytes: nil)
  }

  /// The file that came out gets its name, if nothing has it now.
  private func restoreName() {
    _ = diary_renameat2(
      folder, file.name, folder, path.nameCString, DIARY_RENAME_NOREPLACE)
  }

  /// For file systems that cannot exchange: a second name keeps the old file, then a plain rename.
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
