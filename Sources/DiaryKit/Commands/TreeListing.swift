import Glibc
import Localization

/// Every file, folder and link below a folder.
struct TreeListing {
  struct Item: Equatable {
    var mode: mode_t
    /// Of a file; 0 for others.
    var size = 0
    /// The time of the last change; not of a link.
    var seconds = 0
    var nanoseconds = 0
    /// Of a link.
    var target: [UInt8] = []

    var kind: mode_t { mode & S_IFMT }
  }

  let root: String
  /// By the path below the root, which begins with `/`.
  private(set) var items: [[UInt8]: Item] = [:]
  /// The paths of mount points.
  private(set) var mounts: [[UInt8]] = []
  /// The bytes that the files use on the disk.
  private(set) var bytes = 0
  private let device: dev_t

  init(_ root: String) throws(DiaryError) {
    var status = stat()
    guard lstat(root, &status) == 0 else { throw Self.unreadable(root) }
    (self.root, device) = (root, status.st_dev)
    var folders: [[UInt8]] = [[]]
    while let folder = folders.popLast() { folders += try add(folder) }
  }

  /// Adds what a folder contains. Returns its folders.
  private mutating func add(_ folder: [UInt8]) throws(DiaryError) -> [[UInt8]] {
    guard let directory = opendir(Self.cString(root, folder)) else {
      throw Self.unreadable(root + Self.text(folder))
    }
    defer { closedir(directory) }
    var folders: [[UInt8]] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name == Array(".".utf8) || name == Array("..".utf8) { continue }
      let path = folder + [UInt8(ascii: "/")] + name
      var status = stat()
      guard lstat(Self.cString(root, path), &status) == 0 else {
        throw Self.unreadable(root + Self.text(path))
      }
      var item = Item(mode: status.st_mode)
      switch item.kind {
      case S_IFREG:
        (item.size, bytes) = (Int(status.st_size), bytes + Int(status.st_size) + 4096)
      case S_IFLNK:
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(Self.cString(root, path), &target, target.count)
        item.target = target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }
      case S_IFDIR:
        if status.st_dev != device { mounts.append(path) }
        folders.append(path)
        bytes += 4096
      default: break
      }
      if item.kind != S_IFLNK {
        (item.seconds, item.nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
      }
      items[path] = item
    }
    return folders
  }

  /// The paths that are not the same in two listings, or whose files have other bytes.
  func differences(from other: TreeListing) throws -> Set<[UInt8]> {
    var found = Set(items.keys).symmetricDifference(other.items.keys)
    for (path, item) in items where !found.contains(path) {
      let isSame =
        try item == other.items[path]
        && (item.kind != S_IFREG || Self.haveSameBytes(root, other.root, path))
      if !isSame { found.insert(path) }
    }
    return found
  }

  private static func haveSameBytes(
    _ one: String, _ other: String, _ path: [UInt8]
  ) throws -> Bool {
    let files = [one, other].map { open(cString($0, path), O_RDONLY | O_CLOEXEC | O_NOFOLLOW) }
    defer { for file in files where file >= 0 { close(file) } }
    guard !files.contains(where: { $0 < 0 }) else { throw unreadable(one + text(path)) }
    var buffers = files.map { _ in [UInt8](repeating: 0, count: 1 << 20) }
    while true {
      var counts: [Int] = []
      for index in files.indices {
        var count = 0
        // A read may return less than there is.
        while count < buffers[index].count {
          let read = buffers[index].withUnsafeMutableBytes { buffer in
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            return Glibc.read(files[index], rest.baseAddress, rest.count)
          }
          guard read >= 0 else { throw unreadable(one + text(path)) }
          if read == 0 { break }
          count += read
        }
        counts.append(count)
      }
      guard counts[0] == counts[1], buffers[0].prefix(counts[0]) == buffers[1].prefix(counts[0])
      else { return false }
      if counts[0] == 0 { return true }
    }
  }

  static func text(_ path: some Sequence<UInt8>) -> String {
    String(decoding: Array(path), as: UTF8.self)
  }

  static func cString(_ root: String, _ path: [UInt8]) -> [CChar] {
    (Array(root.utf8) + path + [0]).map { CChar(bitPattern: $0) }
  }

  private static func unreadable(_ path: String) -> DiaryError {
    DiaryError(localized("cannot read \(path): \(String(cString: strerror(errno)))"))
  }
}
