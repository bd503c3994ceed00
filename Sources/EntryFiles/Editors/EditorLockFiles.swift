import DiaryCore
import Glibc

/// A swap or lock file of an editor, in the folder of an entry.
package struct EditorLockFile: Sendable, Hashable {
  /// The process that created the file.
  package enum Owner: Sendable, Hashable {
    /// A running process on this machine.
    case running(Int32)
    /// A process on this machine that was killed; its file is never removed.
    case notRunning
    /// Not recorded in the file, or a process on another machine.
    case unknown
  }

  /// The path of the swap or lock file.
  package var path: EntryPath
  /// The process that created it.
  package var owner: Owner

  package init(path: EntryPath, owner: Owner) {
    self.path = path
    self.owner = owner
  }

  /// The editor's name: the name of its process, else derived from the file name.
  package var program: String {
    if case .running(let process) = owner, let name = processName(process) { return name }
    let name = path.name
    if name.hasSuffix("kate-swp") { return "Kate" }
    if name.hasPrefix(".~lock.") { return "LibreOffice" }
    return name.hasPrefix(".#") ? "Emacs" : "vim"
  }
}

/// Swap and lock files of vim, nano, Emacs, LibreOffice and Kate (observed with each of them).
package enum EditorLockFiles {
  /// The possible names of such files for an entry with this name.
  static func names(for name: some Sequence<UInt8>) -> [[UInt8]] {
    let name = Array(name)
    let hidden = name.first == UInt8(ascii: ".") ? name : [UInt8(ascii: ".")] + name
    // If a name is in use, vim counts down from .swp. nano uses vim's name.
    let swaps = "ponmlkjx".utf8.map { hidden + ".sw".utf8 + [$0] }
    return swaps + [
      Array(".#".utf8) + name,
      Array(".~lock.".utf8) + name + "#".utf8,
      hidden + ".kate-swp".utf8,
      name + ".kate-swp".utf8,
    ]
  }

  /// The entry to which a swap or lock file belongs; `nil` if the name is not an editor's.
  package static func entry(of lockFile: EntryPath) -> EntryPath? {
    let name = Array(lockFile.nameBytes)
    let endings = "ponmlkjx".utf8.map { Array(".sw".utf8) + [$0] } + [Array(".kate-swp".utf8)]
    var bare: [UInt8]?
    if name.starts(with: ".~lock.".utf8), name.last == UInt8(ascii: "#") {
      bare = Array(name.dropFirst(7).dropLast())
    } else if name.starts(with: ".#".utf8) {
      bare = Array(name.dropFirst(2))
    } else if let ending = endings.first(where: { name.suffix($0.count).elementsEqual($0) }) {
      bare = Array(name.dropLast(ending.count))
      if bare?.first == UInt8(ascii: ".") { bare?.removeFirst() }
    }
    guard let bare, !bare.isEmpty else { return nil }
    return lockFile.sibling(bare)
  }
}

extension EditorLockFiles {
  /// The swap and lock files of an entry, without those of killed processes on this machine, which
  /// would report an open editor forever.
  package static func lockFiles(of path: EntryPath, in journal: JournalFolder) -> [EditorLockFile] {
    allLockFiles(of: path, in: journal).filter { $0.owner != .notRunning }
  }

  /// All swap and lock files of an entry.
  static func allLockFiles(of path: EntryPath, in journal: JournalFolder) -> [EditorLockFile] {
    let folderPath = path.folder?.bytes ?? [UInt8(ascii: ".")]
    let descriptor = openBeneath(journal.rootDescriptor, folderPath, O_RDONLY | O_DIRECTORY)
    guard descriptor >= 0 else { return [] }
    let folder = Descriptor(owning: descriptor)
    return names(for: path.nameBytes).compactMap { name in
      var status = stat()
      // Emacs' lock is a dangling symbolic link.
      guard fstatat(folder.number, cString(name), &status, AT_SYMLINK_NOFOLLOW) == 0,
        let lockFile = path.sibling(name)
      else { return nil }
      return EditorLockFile(
        path: lockFile, owner: lockFileOwner(folder.number, cString(name), status))
    }
  }
}

/// The name of a running process.
private func processName(_ process: Int32) -> String? {
  let number = openat(AT_FDCWD, "/proc/\(process)/comm", O_RDONLY | O_CLOEXEC, 0)
  guard number >= 0 else { return nil }
  let file = Descriptor(owning: number)
  var name = [UInt8](repeating: 0, count: 64)
  let count = retryOnInterrupt { read(file.number, &name, name.count) }
  return count > 1 ? String(decoding: name[..<(count - 1)], as: UTF8.self) : nil
}

private func lockFileOwner(_ folder: Int32, _ name: [CChar], _ status: stat) -> EditorLockFile.Owner
{
  if status.st_mode & S_IFMT == S_IFLNK { return emacsOwner(folder, name) }
  guard status.isRegular else { return .unknown }
  let number = retryOnInterrupt {
    openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0)
  }
  guard number >= 0 else { return .unknown }
  let file = Descriptor(owning: number)
  // vim's block 0, which nano imitates: "b0", then the process id at 24 and the host name at 68.
  var block = [UInt8](repeating: 0, count: 108)
  guard retryOnInterrupt({ pread(file.number, &block, 108, 0) }) == 108,
    block.starts(with: "b0".utf8)
  else { return .unknown }
  let process = (0..<4).reduce(Int32(0)) { $0 | Int32(block[24 + $1]) << Int32($1 * 8) }
  return owner(process, on: block[68...].prefix { $0 != 0 })
}

/// Parses `user@host.pid:boot`; the boot time is optional.
private func emacsOwner(_ folder: Int32, _ name: [CChar]) -> EditorLockFile.Owner {
  var buffer = [UInt8](repeating: 0, count: 1024)
  let length = buffer.withUnsafeMutableBytes { bytes in
    bytes.withMemoryRebound(to: CChar.self) { chars in
      chars.baseAddress.map { readlinkat(folder, name, $0, chars.count) } ?? 0
    }
  }
  guard length > 0 else { return .unknown }
  let target = buffer[..<length].prefix { $0 != UInt8(ascii: ":") }
  guard let at = target.lastIndex(of: UInt8(ascii: "@")),
    let dot = target.lastIndex(of: UInt8(ascii: ".")), at < dot,
    let process = Int32(String(decoding: target[(dot + 1)...], as: UTF8.self))
  else { return .unknown }
  return owner(process, on: target[(at + 1)..<dot])
}

private func owner(_ process: Int32, on machine: some Sequence<UInt8>) -> EditorLockFile.Owner {
  var here = [CChar](repeating: 0, count: 256)
  guard process > 0, gethostname(&here, here.count - 1) == 0,
    here.prefix(while: { $0 != 0 }).map({ UInt8(bitPattern: $0) }).elementsEqual(machine)
  else { return .unknown }
  if kill(process, 0) == 0 || errno == EPERM { return .running(process) }
  return errno == ESRCH ? .notRunning : .unknown
}
