import CLinux
import DiaryCore
import Glibc

/// An owned file descriptor, closed on deinit.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  init(owning number: Int32) { self.number = number }

  deinit { close(number) }
}

/// Repeats a call that was interrupted by a signal.
func retryOnInterrupt<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

/// A name as a NUL-terminated C string.
func cString(_ bytes: some Sequence<UInt8>) -> [CChar] {
  var name: [CChar] = []
  name.reserveCapacity(bytes.underestimatedCount + 1)
  for byte in bytes { name.append(CChar(bitPattern: byte)) }
  name.append(0)
  return name
}

/// A C string for one system call, without an array: a scan makes one for every file.
func withTemporaryCString(_ bytes: [UInt8], _ call: (UnsafePointer<CChar>) -> Int32) -> Int32 {
  withUnsafeTemporaryAllocation(of: CChar.self, capacity: bytes.count + 1) { name in
    for index in bytes.indices { name[index] = CChar(bitPattern: bytes[index]) }
    name[bytes.count] = 0
    return name.baseAddress.map { call(UnsafePointer($0)) } ?? -1
  }
}

/// Flushes a file, or the names of a folder, to the disk. File systems without `fsync` (some FUSE
/// ones) are assumed to be durable. Returns the `errno` of a failure.
func syncToDisk(_ descriptor: Int32) -> Int32? {
  guard retryOnInterrupt({ fsync(descriptor) }) != 0 else { return nil }
  let code = errno
  return [EINVAL, ENOSYS, EOPNOTSUPP, EROFS].contains(code) ? nil : code
}

/// Opens `path` beneath the folder `directory` without following a link. Returns a descriptor or -1
/// with `errno`.
func openBeneath(_ directory: Int32, _ path: [UInt8], _ flags: Int32, mode: mode_t = 0) -> Int32 {
  let flags = flags | O_CLOEXEC
  let name = cString(path)
  while true {
    let descriptor = diary_open_beneath(
      directory, name, UInt64(UInt32(bitPattern: flags)), UInt64(mode))
    if descriptor >= 0 { return descriptor }
    switch errno {
    case EINTR, EAGAIN: continue
    // A kernel before 5.6, or a container that forbids the call.
    case ENOSYS, EPERM: return openStepwise(directory, path, flags, mode: mode)
    default: return -1
    }
  }
}

/// The fallback of ``openBeneath(_:_:_:mode:)`` without openat2: opens name by name.
func openStepwise(_ directory: Int32, _ path: [UInt8], _ flags: Int32, mode: mode_t) -> Int32 {
  let names = path.split(separator: UInt8(ascii: "/"))
  guard let last = names.last else { return -1 }
  var folder = directory
  defer { if folder != directory { withErrnoPreserved { close(folder) } } }
  for name in names.dropLast() {
    let next = retryOnInterrupt {
      openat(folder, cString(name), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
    }
    guard next >= 0 else {
      if isLink(folder, cString(name)) { errno = ELOOP }
      return -1
    }
    if folder != directory { close(folder) }
    folder = next
  }
  let parent = folder
  return retryOnInterrupt { openat(parent, cString(last), flags | O_NOFOLLOW, mode) }
}

/// O_DIRECTORY with O_NOFOLLOW reports a link as "not a directory"; callers need the difference.
private func isLink(_ folder: Int32, _ name: [CChar]) -> Bool {
  withErrnoPreserved {
    var status = stat()
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      && status.st_mode & S_IFMT == S_IFLNK
  }
}

/// Runs a call and restores the `errno` of the call before it.
@discardableResult
func withErrnoPreserved<Result>(_ call: () -> Result) -> Result {
  let saved = errno
  defer { errno = saved }
  return call()
}

extension stat {
  var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
}

/// The current system time in nanoseconds since 1970.
func wallClock() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}
