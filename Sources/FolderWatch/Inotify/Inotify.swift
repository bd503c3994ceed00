import Glibc

/// One event of the kernel about a watched folder.
struct InotifyEvent {
  let watch: CInt
  let mask: UInt32
  /// The file or folder in it; empty if the event is about the watched folder itself.
  let name: [UInt8]

  func has(_ bits: CInt) -> Bool { mask & UInt32(bitPattern: bits) != 0 }
  func has(_ bits: UInt32) -> Bool { mask & bits != 0 }
}

/// An inotify instance and its watches; closing it removes them all.
final class Inotify {
  let descriptor: CInt
  private let root: String
  private let eventMask: UInt32
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

  /// Only folders are watched, and unlinked files are ignored. Attribute events report folders that
  /// became readable, and the deletion of a root that a process still uses.
  private static let defaultEventMask =
    UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_ATTRIB)
    | UInt32(IN_ONLYDIR | IN_EXCL_UNLINK)

  init(for root: String, reportsWrites: Bool) throws(WatchError) {
    self.root = root
    eventMask = Self.defaultEventMask | (reportsWrites ? UInt32(IN_MODIFY) : 0)
    descriptor = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
    guard descriptor >= 0 else {
      throw .system(operation: "inotify_init1", path: root, errno: errno)
    }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
    buffer.deallocate()
  }

  /// Watches the open folder itself, not the one that now has its name.
  ///
  /// A folder always has the same watch, and no other folder ever gets its number.
  func add(_ folder: borrowing FolderDescriptor, isRoot: Bool) throws(WatchError) -> CInt {
    let path = "/proc/self/fd/\(folder.descriptor)"
    let mask = eventMask | (isRoot ? UInt32(IN_MOVE_SELF | IN_DELETE_SELF) : 0)
    let watch = inotify_add_watch(descriptor, path, mask)
    guard watch < 0 else { return watch }
    // An open folder always exists, so /proc is missing.
    let code = errno == ENOENT ? ENOSYS : errno
    throw .system(operation: "inotify_add_watch", path: root, errno: code)
  }

  /// Watches the root's parent folder for added and removed names. While a program has the root
  /// open, the kernel reports its deletion only there. Returns `nil` if the folder cannot be
  /// watched, or already is as a folder of the journal. Throws if no watch is left.
  func addParent(_ folder: borrowing FolderDescriptor) throws(WatchError) -> CInt? {
    let mask =
      UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MASK_CREATE)
      | UInt32(IN_ONLYDIR)
    let path = "/proc/self/fd/\(folder.descriptor)"
    return try checkedWatch(inotify_add_watch(descriptor, path, mask))
  }

  /// Watches one file, whichever of its names is used for a write; `nil` if it cannot be watched.
  /// Throws if no watch is left.
  func addFile(
    _ name: [UInt8], in folder: borrowing FolderDescriptor
  ) throws(WatchError) -> CInt? {
    let path = Array("/proc/self/fd/\(folder.descriptor)/".utf8) + name
    return try checkedWatch(
      inotify_add_watch(
        descriptor, path.map { CChar(bitPattern: $0) } + [0],
        eventMask & UInt32(IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB) | UInt32(IN_DONT_FOLLOW)))
  }

  private func checkedWatch(_ watch: CInt) throws(WatchError) -> CInt? {
    guard watch < 0 else { return watch }
    guard errno == ENOSPC else { return nil }
    throw .system(operation: "inotify_add_watch", path: root, errno: ENOSPC)
  }

  func remove(_ watch: CInt) {
    // A deleted folder has no watch any more.
    _ = inotify_rm_watch(descriptor, watch)
  }

  /// Returns the unread events that fit the buffer; empty if there are none.
  func read() throws(WatchError) -> [InotifyEvent] {
    while true {
      let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      if count >= 0 { return events(in: UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
      if errno == EAGAIN { return [] }
      guard errno == EINTR else {
        throw .system(operation: "read the inotify events of", path: root, errno: errno)
      }
    }
  }

  /// inotify(7): a header of 16 bytes, then `len` bytes of name, padded with NULs.
  private func events(in bytes: UnsafeRawBufferPointer) -> [InotifyEvent] {
    var events: [InotifyEvent] = []
    var offset = 0
    while offset + MemoryLayout<inotify_event>.size <= bytes.count {
      let watch = bytes.loadUnaligned(fromByteOffset: offset, as: CInt.self)
      let mask = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
      let length = Int(bytes.loadUnaligned(fromByteOffset: offset + 12, as: UInt32.self))
      let start = offset + MemoryLayout<inotify_event>.size
      events.append(
        InotifyEvent(
          watch: watch, mask: mask, name: Array(bytes[start..<start + length].prefix { $0 != 0 })))
      offset = start + length
    }
    return events
  }
}
