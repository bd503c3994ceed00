import CLinux
import DiaryCore
import Glibc

extension JournalFolder {
  /// True if other users of the machine can reach the files of the folder at an absolute path: some of
  /// their names are known, so they need not be able to list it.
  package static func isReachableByOthers(_ root: String) -> Bool {
    guard let resolved = realpath(root, nil) else { return false }
    defer { free(resolved) }
    var folder = String(cString: resolved)[...]
    while !folder.isEmpty {
      var status = stat()
      guard stat(String(folder), &status) == 0, status.st_mode & 0o1 != 0 else { return false }
      folder = folder.prefix(upTo: folder.lastIndex(of: "/") ?? folder.startIndex)
    }
    return true
  }

  /// Opens the folder of `path`. With `createIfMissing`, to create a file there: missing folders are
  /// created, and it throws ``FileError/Reason/away(folder:)`` if a folder above is away.
  func openFolder(
    of path: EntryPath, createIfMissing: Bool = false, for operation: FileError.Operation
  ) throws(FileError) -> Descriptor {
    guard !path.leadsIntoGit else { throw FileError(operation, path.text, .insideGit) }
    if createIfMissing { try requireInPlace([path], for: operation) }
    let flags = O_RDONLY | O_DIRECTORY
    let number = openBeneath(rootDescriptor, path.folder?.bytes ?? [UInt8(ascii: ".")], flags)
    if number >= 0 { return Descriptor(owning: number) }
    guard createIfMissing, errno == ENOENT else {
      throw FileError(operation, path.text, code: errno)
    }
    return try makeFolders(above: path, for: operation)
  }

  private func makeFolders(
    above path: EntryPath, for operation: FileError.Operation
  ) throws(FileError) -> Descriptor {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW
    var folder = Descriptor(owning: openBeneath(rootDescriptor, [UInt8(ascii: ".")], flags))
    for name in path.names.dropLast() {
      if mkdirat(folder.number, cString(name), 0o777) == 0 {
        // Flush the folder's name: if it were lost in a crash, the files in it would be lost too.
        if let code = syncToDisk(folder.number) {
          throw FileError(operation, path.text, code: code)
        }
      } else if errno != EEXIST {
        throw FileError(operation, path.text, code: errno)
      }
      let next = openBeneath(folder.number, Array(name), flags)
      guard next >= 0 else { throw FileError(operation, path.text, code: errno) }
      folder = Descriptor(owning: next)
    }
    return folder
  }

  /// True if a folder with this name exists.
  package func hasFolder(_ path: EntryPath) -> Bool {
    let number = openBeneath(rootDescriptor, path.bytes, O_RDONLY | O_DIRECTORY)
    if number >= 0 { close(number) }
    return number >= 0
  }

  /// True if a folder above `path`, below the journal's root, is another repository or encrypted.
  package func isInsideForeignFolder(_ path: EntryPath) -> Bool {
    var next = path.folder
    while let folder = next {
      var status = stat()
      let marker = cString(folder.bytes + "/.git".utf8)
      if fstatat(rootDescriptor, marker, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
      if diary_is_encrypted_folder(rootDescriptor, cString(folder.bytes)) != 0 { return true }
      next = folder.folder
    }
    return false
  }

  /// Removes the empty folders above `path`, up to but not including the root.
  package func removeEmptyFolders(above path: EntryPath) {
    var next = path.folder
    while let folder = next {
      guard let directory = try? openFolder(of: folder, for: .remove),
        unlinkat(directory.number, cString(folder.nameBytes), AT_REMOVEDIR) == 0
      else { return }
      next = folder.folder
    }
  }

  /// The device numbers of these files; missing files are skipped.
  package func devices(of paths: [EntryPath]) -> Set<UInt64> {
    var found: Set<UInt64> = []
    for path in paths {
      var status = stat()
      if fstatat(rootDescriptor, cString(path.bytes), &status, AT_SYMLINK_NOFOLLOW) == 0 {
        found.insert(UInt64(status.st_dev))
      }
    }
    return found
  }

  /// Flushes these files and their names; more than 64 by flushing the whole file system, if that is
  /// known to flush them.
  package func sync(_ paths: [EntryPath]) throws(FileError) {
    if paths.count > 64, diary_syncfs_flushes(rootDescriptor) == 1,
      devices(of: paths).isSubset(of: [rootDevice])
    {
      guard diary_syncfs(rootDescriptor) == 0 else { throw FileError(.sync, root, code: errno) }
      return
    }
    var folders: [EntryPath?: EntryPath] = [:]
    for path in paths {
      guard let file = try openToRead(path, for: .sync) else {
        throw FileError(.sync, path.text, .absent)
      }
      if let code = syncToDisk(file.number) { throw FileError(.sync, path.text, code: code) }
      folders[path.folder] = path
    }
    for path in folders.values {
      let folder = try openFolder(of: path, for: .sync)
      if let code = syncToDisk(folder.number) { throw FileError(.sync, path.text, code: code) }
    }
  }

  /// Flushes the file and its name to the disk.
  package func sync(_ path: EntryPath) throws(FileError) { try sync([path]) }
}

extension EntryPath {
  /// True if a name in the path is `.git` in any case: some file systems are case-insensitive.
  var leadsIntoGit: Bool {
    names.contains { $0.count == 4 && String(decoding: $0, as: UTF8.self).lowercased() == ".git" }
  }

  /// The last name as a C string.
  var nameCString: [CChar] { cString(nameBytes) }
}
