import CLinux
import Glibc

/// The mounts at a folder and below it; the kernel signals any change of mounts.
///
/// A mount over a watched folder hides it, and inotify does not report that.
final class MountTable {
  private struct Mount: Equatable {
    let id: Substring
    let point: [UInt8]
  }

  /// A file that signals POLLPRI on a change (proc_pid_mountinfo(5)); -1 without /proc.
  let descriptor: CInt
  private let root: String
  private var mounts: [Mount] = []

  /// Creates the table of a folder with this real path.
  init(root: String) {
    self.root = root
    descriptor = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    mounts = read()
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// True if the folder or anything below it was mounted or unmounted since the last call.
  func hasChanged() -> Bool {
    let now = read()
    defer { mounts = now }
    return now != mounts
  }

  private func read() -> [Mount] {
    guard descriptor >= 0, lseek(descriptor, 0, SEEK_SET) == 0 else { return [] }
    return Self.lines(of: descriptor).compactMap(mount)
  }

  fileprivate static func lines(ofFile path: String) -> [Substring] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    return lines(of: file)
  }

  /// The lines of a file of /proc, which has no size.
  private static func lines(of file: CInt) -> [Substring] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(file, &part, part.count)
      guard count > 0 else { break }
      bytes += part[..<count]
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }

  private func mount(_ line: Substring) -> Mount? {
    let fields = line.split(separator: " ", maxSplits: 5)
    guard fields.count == 6 else { return nil }
    let point = Self.unescaped(fields[4].utf8)
    let own = Array(root.utf8)
    let isInside = point == own || point.starts(with: own + [UInt8(ascii: "/")])
    return isInside ? Mount(id: fields[0], point: point) : nil
  }

  /// Decodes blanks, tabs, line ends and backslashes, escaped as `\` and three octal digits.
  static func unescaped(_ text: some Collection<UInt8>) -> [UInt8] {
    var rest = Array(text)[...]
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return bytes
  }
}

/// True if something is mounted at the folder.
package func isMountPoint(_ folder: String) -> Bool {
  guard let folder = try? FolderDescriptor(root: folder) else { return false }
  return diary_is_mount_root(folder.descriptor) != 0
}

/// True if gocryptfs is mounted at the folder.
package func isMountPointOfGocryptfs(_ folder: String) -> Bool {
  guard let folder = try? FolderDescriptor(root: folder) else { return false }
  return diary_is_mount_root(folder.descriptor) != 0
    && diary_is_on_gocryptfs(folder.descriptor) != 0
}

/// The folders in which gocryptfs shows files, each with the folder of the encrypted ones as it was
/// named then.
package func gocryptfsMounts() -> [(folder: String, encrypted: String)] {
  mounts().filter { $0.type == "fuse.gocryptfs" }.map { ($0.folder, $0.source) }
}

/// The folders whose files a program or another machine provides, which may not answer.
package func networkMounts() -> [String] {
  let types = ["fuse", "nfs", "cifs", "smb3", "9p", "ceph", "afs"]
  return mounts().filter { mount in types.contains(where: mount.type.hasPrefix) }.map(\.folder)
}

private func mounts() -> [(folder: String, type: Substring, source: String)] {
  func text(_ field: Substring) -> String {
    String(decoding: MountTable.unescaped(field.utf8), as: UTF8.self)
  }
  return MountTable.lines(ofFile: "/proc/self/mountinfo").compactMap { line in
    let fields = line.split(separator: " ")
    guard let end = fields.firstIndex(of: "-"), fields.count > end + 2 else { return nil }
    return (text(fields[4]), fields[end + 1], text(fields[end + 2]))
  }
}

/// The changes of mounts on this machine.
package struct MountChanges: ~Copyable {
  private let table = MountTable(root: "/")

  package init() {}

  /// Blocks until something was mounted or unmounted since the last call, or for so many seconds.
  package func wait(atMost seconds: Int? = nil) {
    var polled = [pollfd(fd: table.descriptor, events: Int16(POLLPRI), revents: 0)]
    poll(&polled, 1, seconds.map { CInt($0 * 1000) } ?? -1)
  }
}
