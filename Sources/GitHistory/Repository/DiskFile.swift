import DiaryCore
import Glibc

// The few system calls on files of the git directory; paths there are text.

extension Array where Element == UInt8 {
  /// The same bytes, ended by NUL, as C wants them.
  var cString: [CChar] { map { CChar(bitPattern: $0) } + [0] }
}

extension EntryPath {
  var cString: [CChar] { bytes.cString }

  /// A path from what C gives; `nil` when it cannot be one.
  init?(cString: UnsafePointer<CChar>) {
    let bytes = UnsafeRawBufferPointer(start: cString, count: strlen(cString))
    self.init(bytes: bytes)
  }
}

/// All bytes of a file; `nil` when there is none.
func readFile(_ path: String, limit: Int = .max) throws(GitError) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else {
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw GitError.system("open", path)
  }
  defer { close(descriptor) }
  return try readAll(descriptor, path, limit: limit)
}

func readAll(_ descriptor: Int32, _ path: String, limit: Int = .max) throws(GitError) -> [UInt8] {
  var bytes: [UInt8] = []
  var status = stat()
  if fstat(descriptor, &status) == 0 { bytes.reserveCapacity(min(limit, Int(status.st_size))) }
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while bytes.count < limit {
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw GitError.system("read", path) }
    if count == 0 { break }
    bytes.append(contentsOf: buffer[..<count])
  }
  return bytes
}

func writeAll(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws(GitError) {
  var done = 0
  while done < bytes.count {
    let count = bytes[done...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { throw GitError.system("write", path) }
    done += count
  }
}

/// Writes a new file and syncs it, unless that is left to a ``Flush``; its folder is the caller's to sync.
func writeNewFile(
  _ path: String, _ bytes: [UInt8], mode: mode_t, syncing: Bool = true
) throws(GitError) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
  guard descriptor >= 0 else { throw GitError.system("create", path) }
  defer { close(descriptor) }
  try writeAll(bytes, to: descriptor, path)
  guard !syncing || fsync(descriptor) == 0 else { throw GitError.system("sync", path) }
}

/// Syncs a file or a folder; one that is not there any more needs none.
func syncFile(_ path: String) throws(GitError) {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else {
    if errno == ENOENT { return }
    throw GitError.system("open", path)
  }
  defer { close(descriptor) }
  // Some file systems cannot sync a folder and say EINVAL; there is nothing more to be done there.
  guard fsync(descriptor) == 0 || errno == EINVAL else { throw GitError.system("sync", path) }
}

/// The folder part of a path.
func parent(of path: String) -> String {
  path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
}

/// Makes a folder and those above it, and syncs each that gained a name. git may remove an empty one
/// of them at the same moment (`pack-refs`), so it is tried again. A `.git` is never made: it has gone
/// away with its journal, and nothing may stand in the way when that comes back.
func makeFolders(_ path: String) throws(GitError) {
  let above = parent(of: path)
  for _ in 0..<50 {
    if access(path, F_OK) == 0 { return }
    if path.hasSuffix("/.git") { break }
    if above != path { try makeFolders(above) }
    if mkdir(path, 0o777) == 0 || errno == EEXIST { return try syncFile(above) }
    guard errno == ENOENT else { break }
  }
  throw GitError.system("make", path)
}

/// The names in a folder, without `.` and `..`; empty when it is not there.
func names(in folder: String) -> [String] {
  guard let stream = opendir(folder) else { return [] }
  defer { closedir(stream) }
  var found: [String] = []
  while let item = readdir(stream) {
    let name = withUnsafePointer(to: &item.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != "." && name != ".." { found.append(name) }
  }
  return found
}
