import DiaryCore
import Glibc

// The few system calls on files of the git directory; paths there are strings.

extension Sequence<UInt8> {
  /// The bytes with a final NUL, as C needs them.
  var cString: [CChar] { map { CChar(bitPattern: $0) } + [0] }
}

extension EntryPath {
  var cString: [CChar] { bytes.cString }

  /// Creates a path from a C string; `nil` if it is not a valid path.
  init?(cString: UnsafePointer<CChar>) {
    let bytes = UnsafeRawBufferPointer(start: cString, count: strlen(cString))
    self.init(bytes: bytes)
  }
}

/// Reads all bytes of a file, or returns `nil` if it does not exist.
func readFile(_ path: String, limit: Int = .max) throws(GitError) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else {
    if errno == ENOENT || errno == ENOTDIR { return nil }
    throw GitError.system("open", path)
  }
  defer { close(descriptor) }
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

/// Writes a new file and syncs it, unless a ``DiskFlush`` does. It does not sync the folder: after a
/// power cut the file may have no name.
func writeNewFile(
  _ path: String, _ bytes: [UInt8], mode: mode_t, syncing: Bool = true
) throws(GitError) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
  guard descriptor >= 0 else { throw GitError.system("create", path) }
  defer { close(descriptor) }
  try writeAll(bytes, to: descriptor, path)
  guard !syncing || fsync(descriptor) == 0 else { throw GitError.system("sync", path) }
}

/// Syncs a file or a folder; one that does not exist any more needs no sync.
func syncFile(_ path: String) throws(GitError) {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else {
    if errno == ENOENT { return }
    throw GitError.system("open", path)
  }
  defer { close(descriptor) }
  // Some file systems cannot sync a folder and return EINVAL; no more can be done there.
  guard fsync(descriptor) == 0 || errno == EINVAL else { throw GitError.system("sync", path) }
}

/// The folder part of a path.
func parent(of path: String) -> String {
  path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
}

/// Creates a folder and its missing parents, and syncs each folder that gained a name. git may
/// remove an empty one at the same moment (`pack-refs`), so it retries. A `.git` is never created:
/// it disappeared with its journal, and must not block the return of that journal.
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

/// Removes a folder with everything in it.
func removeTree(_ folder: String) {
  for name in names(in: folder) {
    let path = folder + "/" + name
    if unlink(path) != 0 { removeTree(path) }
  }
  rmdir(folder)
}

/// Makes a folder for unfinished objects, which `git gc` removes if it is left behind.
func makeObjectsFolder(in parent: String) throws(GitError) -> String {
  var template = Array((parent + "/tmp_objdir-diary-XXXXXX").utf8CString)
  guard let made = mkdtemp(&template) else { throw GitError.system("make a folder in", parent) }
  return String(cString: made)
}

/// Returns the names in a folder, without `.` and `..`; empty if the folder does not exist.
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

/// Returns the modification time of a file or a link in nanoseconds since 1970, or `nil` if it does
/// not exist.
func modificationTime(_ path: String) -> Int64? {
  var status = stat()
  return lstat(path, &status) == 0 ? status.st_mtim.nanoseconds : nil
}

extension timespec {
  /// Nanoseconds since 1970, as in a file's signature: times after 2262 wrap around.
  var nanoseconds: Int64 { Int64(tv_sec) &* 1_000_000_000 &+ Int64(tv_nsec) }
}
