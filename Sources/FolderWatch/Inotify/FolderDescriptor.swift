import CLinux
import DiaryCore
import Glibc

/// The direct content of a folder: regular files (and editors' files of any kind), and folders.
struct FolderNames {
  var files: [[UInt8]] = []
  var folders: [[UInt8]] = []
  /// True if it is another repository, or has encrypted files.
  var isForeign = false
}

/// An open folder. All calls are about this very folder, even if it was renamed.
struct FolderDescriptor: ~Copyable {
  let descriptor: CInt
  /// For error messages.
  private let path: String

  /// Opens the journal's own folder; links on the way to it are the user's and are followed.
  init(root: String) throws(WatchError) {
    descriptor = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    path = root
    guard descriptor >= 0 else { throw .system(operation: "open", path: root, errno: errno) }
  }

  /// Opens a folder below the root; no link is followed.
  init(_ folder: EntryPath, beneath root: borrowing FolderDescriptor) throws(WatchError) {
    let flags = UInt64(O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    path = root.path + "/" + folder.text
    descriptor = diary_open_beneath(root.descriptor, folder.bytes.cString, flags, 0)
    guard descriptor >= 0 else { throw .system(operation: "open", path: path, errno: errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  var identity: FileIdentity {
    var status = stat()
    fstat(descriptor, &status)
    return FileIdentity(status)
  }

  /// Returns the status of the file `name`, without following a link, or `nil` on an error.
  func status(of name: [UInt8]) -> stat? {
    var status = stat()
    let result = fstatat(descriptor, name.cString, &status, AT_SYMLINK_NOFOLLOW)
    return result == 0 ? status : nil
  }

  /// Reads the names in the folder, in no order.
  func names() throws(WatchError) -> FolderNames {
    // closedir(3) closes the descriptor of fdopendir(3), and this one is still needed.
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0, let stream = fdopendir(copy) else {
      let code = errno
      if copy >= 0 { close(copy) }
      throw .system(operation: "read", path: path, errno: code)
    }
    defer { closedir(stream) }
    var names = FolderNames()
    while true {
      errno = 0
      guard let entry = readdir(stream) else { break }
      add(entry, to: &names)
    }
    guard errno == 0 else { throw .system(operation: "read", path: path, errno: errno) }
    return names
  }

  private func add(_ entry: UnsafeMutablePointer<dirent>, to names: inout FolderNames) {
    let start = UnsafeRawPointer(entry) + (MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)
    let text = start.assumingMemoryBound(to: UInt8.self)
    let name = Array(
      UnsafeBufferPointer(start: text, count: strlen(start.assumingMemoryBound(to: CChar.self))))
    if WatchFilter.foreignMarks.contains(name) { names.isForeign = true }
    switch kind(of: name, reported: Int(entry.pointee.d_type)) {
    case Int(DT_DIR) where name != [UInt8(ascii: ".")] && !name.elementsEqual("..".utf8):
      names.folders.append(name)
    case Int(DT_REG) where name != WatchFilter.repository: names.files.append(name)
    case Int(DT_DIR): break
    default: if WatchFilter.isEditorFile(name) { names.files.append(name) }
    }
  }

  /// Returns the kind of an entry, by lstat(2) if readdir(3) does not give it.
  private func kind(of name: [UInt8], reported: Int) -> Int {
    guard reported == Int(DT_UNKNOWN), let status = status(of: name) else { return reported }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return Int(DT_DIR)
    case S_IFREG: return Int(DT_REG)
    default: return Int(DT_LNK)
    }
  }
}

extension [UInt8] {
  /// The bytes as a C string; a name need not be UTF-8.
  fileprivate var cString: [CChar] { map { CChar(bitPattern: $0) } + [0] }
}
