import CLinux
import DiaryCore
import Glibc

extension JournalFolder {
  /// Creates a file with these bytes, atomically, and the folders above it. Never overwrites:
  /// ``FileError/Reason/exists``. `mode` is restricted by the umask. Without `syncsName`, the
  /// caller must flush the name to the disk.
  package func create(
    _ path: EntryPath, _ bytes: [UInt8], mode: UInt32 = 0o666, syncsName: Bool = true
  ) throws(FileError) {
    try create(path, mode: mode, syncsName: syncsName) { file throws(FileError) in
      try file.write(bytes, syncs: false)
    }
    recordWrite(bytes, at: path)
  }

  /// Creates a file with the bytes of `scratch`, atomically, and the folders above it. Never
  /// overwrites: ``FileError/Reason/exists``.
  package func create(_ path: EntryPath, copying scratch: ScratchFile) throws(FileError) {
    try create(path, mode: 0o666, syncsName: true) { file throws(FileError) in
      var offset = 0
      while true {
        let piece = try scratch.read(at: offset, count: 1 << 17)
        guard !piece.isEmpty else { break }
        try file.write(piece, syncs: false)
        offset += piece.count
      }
    }
  }

  private func create(
    _ path: EntryPath, mode: UInt32, syncsName: Bool,
    filledBy fill: (TempFile) throws(FileError) -> Void
  ) throws(FileError) {
    let folder = try openFolder(of: path, createIfMissing: true, for: .create)
    let file = try TempFile(
      in: folder.number, mode: mode_t(mode), displayPath: path.text, for: .create)
    try fill(file)
    try file.sync()
    try renameNoReplace(file.name, in: folder.number, to: path, in: folder.number, for: .create)
    file.isRetained = true
    if syncsName, let code = syncToDisk(folder.number) {
      throw FileError(.create, path.text, code: code)
    }
  }

  /// Writes the content of a file by calling the given function with one piece after another.
  package typealias ContentWriter = ((UnsafeRawBufferPointer) throws -> Void) throws -> Void

  /// Creates files like ``create(_:_:mode:syncsName:)``; the caller must flush their names. They
  /// are created in batches of 64, because each is open with its folder and some systems allow only
  /// 256 open files. With several batches, all 64 files are flushed together before the first is
  /// renamed, where the file system can do that. Returns the paths that other files have taken
  /// meanwhile.
  ///
  /// - Parameter progress: called with the number of files created so far.
  package func create(
    _ files: [(path: EntryPath, fill: ContentWriter)], progress: (_ done: Int) -> Void = { _ in }
  ) throws -> Set<EntryPath> {
    var existing: Set<EntryPath> = []
    let batchSize = 64
    for start in stride(from: 0, to: files.count, by: batchSize) {
      let part = files[start..<min(start + batchSize, files.count)]
      try create(batch: part, areMany: files.count > batchSize, &existing)
      progress(start + part.count)
    }
    return existing
  }

  private func create(
    batch files: ArraySlice<(path: EntryPath, fill: ContentWriter)>, areMany: Bool,
    _ taken: inout Set<EntryPath>
  ) throws {
    var folders: [EntryPath?: OpenFolder] = [:]
    var unnamed: [UnnamedFile] = []
    for (path, fill) in files {
      let folder: OpenFolder
      if let known = folders[path.folder] {
        folder = known
      } else {
        folder = OpenFolder(try openFolder(of: path, createIfMissing: true, for: .create))
        folders[path.folder] = folder
      }
      let file = try TempFile(
        in: folder.descriptor.number, mode: 0o666, displayPath: path.text, for: .create)
      unnamed.append(UnnamedFile(file, in: folder))
      try fill { piece in try file.write(piece) }
      if !areMany || !folder.flushesTogether { try file.sync() }
    }
    if areMany { try syncFileSystems(of: folders.values.filter(\.flushesTogether)) }
    for (new, unnamed) in zip(files, unnamed) {
      guard let file = unnamed.file else { continue }
      do throws(FileError) {
        try renameNoReplace(
          file.name, in: file.folder, to: new.path, in: file.folder, for: .create)
        file.isRetained = true
      } catch {
        guard error.isNameTaken else { throw error }
        taken.insert(new.path)
      }
    }
  }

  private func syncFileSystems(of folders: [OpenFolder]) throws(FileError) {
    var synced: Set<UInt64> = []
    for folder in folders.map({ $0.descriptor.number }) {
      var status = stat()
      guard fstat(folder, &status) == 0 else { throw FileError(.create, root, code: errno) }
      guard synced.insert(UInt64(status.st_dev)).inserted else { continue }
      guard retryOnInterrupt({ diary_syncfs(folder) }) == 0 else {
        throw FileError(.create, root, code: errno)
      }
    }
  }

  /// Renames a file, creating the folders of its new path; fails if the new name is in use. Without
  /// `syncsNames`, a power failure may leave either name, or both.
  package func move(
    _ path: EntryPath, to target: EntryPath, syncsNames: Bool = true
  ) throws(FileError) {
    guard let signature = try signature(of: path) else {
      throw FileError(.move, path.text, .absent)
    }
    let source = try openFolder(of: path, for: .move)
    let folder = try openFolder(of: target, createIfMissing: true, for: .move)
    // On a case-insensitive file system, `a.md` and `A.md` are the same file: the name is not in
    // use.
    if let taken = try? self.signature(of: target), taken.inode == signature.inode,
      isSameFolder(source, folder), path.name.lowercased() == target.name.lowercased()
    {
      guard renameat(source.number, path.nameCString, folder.number, target.nameCString) == 0
      else { throw FileError(.move, target.text, code: errno) }
    } else {
      try renameNoReplace(
        path.nameCString, in: source.number, to: target, in: folder.number, for: .move)
    }
    recordMove(path, to: target)
    if syncsNames, let code = syncToDisk(folder.number) ?? syncToDisk(source.number) {
      throw FileError(.move, target.text, code: code)
    }
  }

  /// Renames without ever overwriting, with the best call that the file system supports.
  func renameNoReplace(
    _ name: [CChar], in source: Int32, to path: EntryPath, in folder: Int32,
    for operation: FileError.Operation
  ) throws(FileError) {
    let target = path.nameCString
    if diary_renameat2(source, name, folder, target, DIARY_RENAME_NOREPLACE) == 0 { return }
    guard isUnsupported(errno) else { throw FileError(operation, path.text, code: errno) }
    if linkat(source, name, folder, target, 0) == 0 {
      unlinkat(source, name, 0)
      return
    }
    guard isUnsupported(errno) || errno == EPERM || errno == EMLINK else {
      throw FileError(operation, path.text, code: errno)
    }
    try renameOverClaim(name, in: source, to: path, in: folder, for: operation)
  }

  /// Creates an empty file to reserve the name, then renames over it; for file systems that support
  /// neither call. If the rename fails, the empty file is removed again.
  func renameOverClaim(
    _ name: [CChar], in source: Int32, to path: EntryPath, in folder: Int32,
    for operation: FileError.Operation
  ) throws(FileError) {
    let target = path.nameCString
    let claim = retryOnInterrupt {
      openat(folder, target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }
    guard claim >= 0 else { throw FileError(operation, path.text, code: errno) }
    defer { close(claim) }
    guard renameat(source, name, folder, target) == 0 else {
      let code = errno
      var (claimed, named) = (stat(), stat())
      // Another program may have replaced or written the file meanwhile.
      if fstat(claim, &claimed) == 0, claimed.st_size == 0,
        fstatat(folder, target, &named, AT_SYMLINK_NOFOLLOW) == 0,
        named.st_ino == claimed.st_ino, named.st_dev == claimed.st_dev
      {
        unlinkat(folder, target, 0)
      }
      throw FileError(operation, path.text, code: code)
    }
  }
}

/// True for the errors of file systems that do not support a flag or a call.
func isUnsupported(_ code: Int32) -> Bool { [EINVAL, ENOSYS, EOPNOTSUPP].contains(code) }

private func isSameFolder(_ first: borrowing Descriptor, _ second: borrowing Descriptor) -> Bool {
  var one = stat()
  var other = stat()
  return fstat(first.number, &one) == 0 && fstat(second.number, &other) == 0
    && one.st_ino == other.st_ino && one.st_dev == other.st_dev
}

/// A folder in which several files are created.
private final class OpenFolder {
  let descriptor: Descriptor
  /// True if its files can be flushed by flushing their file system.
  let flushesTogether: Bool

  init(_ descriptor: consuming Descriptor) {
    flushesTogether = diary_syncfs_flushes(descriptor.number) == 1
    self.descriptor = descriptor
  }
}

/// A temporary file before its rename, and its folder.
private final class UnnamedFile {
  private(set) var file: TempFile?
  private let folder: OpenFolder

  init(_ file: TempFile, in folder: OpenFolder) { (self.file, self.folder) = (file, folder) }

  // Remove the temporary file while its folder is open.
  deinit { file = nil }
}
