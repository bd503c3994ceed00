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
    case out([CChar]?)
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
      return try renameOver()
    }
    let out = hidden()
    if out.bytes == expected {
      file.isKept = true
      return .out(file.name)
    }
    return try exchangeBack(out)
  }

  /// Changes back. What then comes out should be the version that we had put there; if it is not,
  /// somebody saved over ours in between, and that version, the newest, goes back in.
  private func exchangeBack(_ first: Version) throws(FileError) -> Outcome {
    let ours = Version(inode: file.inode, bytes: new)
    var placed = ours
    var held = first
    // Until our own version is known to be under the hidden name, nothing there may be deleted.
    file.isKept = true
    for _ in 0..<16 {
      guard exchange() else {
        let code = errno
        // Somebody took the name away; what came out may be the only copy.
        guard code == ENOENT else { throw FileError(.replace, path.text, code: code) }
        // Where the name is taken again by now, it stays as a leftover.
        restoreName()
        return try changed(held)
      }
      let out = hidden()
      if out == placed {
        // Any other than ours is a version that its own writer has overwritten: a leftover.
        if out == ours { file.isKept = false }
        return try changed(held)
      }
      placed = held
      held = out
    }
    throw FileError(.replace, path.text, .stillChanging)
  }

  private func changed(_ version: Version) throws(FileError) -> Outcome {
    guard let bytes = version.bytes else { throw FileError(.replace, path.text, .notRegular) }
    return .changed(bytes)
  }

  /// What the hidden name holds now.
  private func hidden() -> Version {
    if let text = try? look(at: file.name, in: folder, showing: path.text, for: .replace) {
      return Version(inode: text.stamp.inode, bytes: text.isConsistent ? text.bytes : nil)
    }
    var facts = stat()
    fstatat(folder, file.name, &facts, AT_SYMLINK_NOFOLLOW)
    return Version(inode: UInt64(facts.st_ino), bytes: nil)
  }

  /// The file that came out gets its name, if nothing has it now.
  private func restoreName() {
    _ = diary_renameat2(
      folder, file.name, folder, path.terminatedName, DIARY_RENAME_NOREPLACE)
  }

  /// For file systems that cannot exchange: a second name keeps the old file, then a plain rename.
  private func renameOver() throws(FileError) -> Outcome {
    let second = TempFile.freshName()
    let isLinked = linkat(folder, path.terminatedName, folder, second, 0) == 0
    func forget() { if isLinked { unlinkat(folder, second, 0) } }
    let now: FileContents
    do {
      let name = isLinked ? second : path.terminatedName
      now = try look(at: name, in: folder, showing: path.text, for: .replace)
    } catch {
      forget()
      if error.reason == .absent { return .changed(nil) }
      throw error
    }
    guard now.bytes == expected else {
      forget()
      return .changed(now.bytes)
    }
    guard renameat(folder, file.name, folder, path.terminatedName) == 0 else {
      let code = errno
      forget()
      throw FileError(.replace, path.text, code: code)
    }
    file.isKept = true
    return .out(isLinked ? second : nil)
  }

  private func exchange() -> Bool {
    diary_renameat2(folder, file.name, folder, path.terminatedName, DIARY_RENAME_EXCHANGE) == 0
  }
}
