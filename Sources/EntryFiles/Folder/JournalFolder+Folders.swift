import CLinux
import DiaryCore
import Glibc

extension JournalFolder {
  /// The folder that holds `path`, opened; with `making`, it and those above it are made.
  func openFolder(
    of path: EntryPath, createIfMissing: Bool = false, for operation: FileError.Operation
  ) throws(FileError) -> Descriptor {
    guard !path.leadsIntoGit else { throw FileError(operation, path.text, .insideGit) }
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
        // A file in a folder whose own name was lost in a crash is lost too.
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

  /// Whether a folder of this name is there.
  package func hasFolder(_ path: EntryPath) -> Bool {
    let number = openBeneath(rootDescriptor, path.bytes, O_RDONLY | O_DIRECTORY)
    if number >= 0 { close(number) }
    return number >= 0
  }

  /// Whether a folder above `path`, below the journal's own, is a repository of its own.
  package func isInsideOtherRepository(_ path: EntryPath) -> Bool {
    var next = path.folder
    while let folder = next {
      var status = stat()
      let marker = cString(folder.bytes + "/.git".utf8)
      if fstatat(rootDescriptor, marker, &status, AT_SYMLINK_NOFOLLOW) == 0 { return true }
      next = folder.folder
    }
    return false
  }

  /// Takes away the folders above `path` that are empty now, up to the root, which stays.
  package func removeEmptyFolders(above path: EntryPath) {
    var next = path.folder
    while let folder = next {
      guard let directory = try? openFolder(of: folder, for: .remove),
        unlinkat(directory.number, cString(folder.nameBytes), AT_REMOVEDIR) == 0
      else { return }
      next = folder.folder
    }
  }

  /// The numbers of the devices that these files lie on; one that is gone is on none.
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

  /// Waits until these files and their names are on the disk; many at once as a whole file system.
  package func sync(_ paths: [EntryPath]) throws(FileError) {
    guard paths.count > 64 else {
      for path in paths { try sync(path) }
      return
    }
    guard diary_syncfs(rootDescriptor) == 0 else { throw FileError(.sync, root, code: errno) }
  }

  /// Waits until the file and its name are on the disk.
  package func sync(_ path: EntryPath) throws(FileError) {
    guard let file = try openToRead(path, for: .sync) else {
      throw FileError(.sync, path.text, .absent)
    }
    let folder = try openFolder(of: path, for: .sync)
    if let code = syncToDisk(file.number) ?? syncToDisk(folder.number) {
      throw FileError(.sync, path.text, code: code)
    }
  }
}

extension EntryPath {
  /// Whether a name on the path is `.git`, in any case: some file systems make no difference.
  var leadsIntoGit: Bool {
    names.contains { $0.count == 4 && String(decoding: $0, as: UTF8.self).lowercased() == ".git" }
  }

  /// The last name as C wants it.
  var nameCString: [CChar] { cString(nameBytes) }
}
