import CLinux
import DiaryCore
import Glibc
import Synchronization

/// The result of a scan of the journal's folder. Every list is in the byte order of the paths.
/// Hidden folders and links are not entered.
package struct FolderScan: Sendable, Equatable {
  /// Files that match the rules for entries. Git's ignore rules are not applied here.
  package var entries: [FoundFile] = []
  /// Other files that may be saved with `files: all`: visible and regular, without editor files,
  /// keys and list files. Empty unless requested.
  package var otherFiles: [FoundFile] = []
  /// The settings and the user's templates: `.diary/config.yml` and `.diary/templates/`.
  package var settingsFiles: [FoundFile] = []
  /// The `.gitignore` files, for caches of git's ignore status.
  package var ignoreFiles: [FoundFile] = []
  /// Conflict copies made by a sync program; they are not entries.
  package var conflictCopies: [FoundFile] = []
  /// Names of entries that belong to links, pipes or devices, which are not read.
  package var notRegular: [EntryPath] = []
  /// Folders that are other repositories or submodules; their contents are not in the journal.
  package var repositories: [EntryPath] = []
  /// Folders of encrypted files, and those in which gocryptfs shows them; their contents are not in
  /// the journal.
  package var encryptedFolders: [EntryPath] = []
  /// Temporary files of a Diary that was killed during a write.
  package var staleTempFiles: [FoundFile] = []
  /// Paths that could not be read, with their `errno`. While this is not empty, a missing file is
  /// not known to be removed.
  package var unreadable: [Unreadable] = []

  /// Creates an empty result.
  package init() {}

  /// A path that could not be read.
  package struct Unreadable: Sendable, Hashable {
    /// The path; `nil` for the journal's own folder.
    package var path: EntryPath?
    /// The `errno`.
    package var code: Int32

    /// Creates a path with its error.
    package init(path: EntryPath?, code: Int32) {
      self.path = path
      self.code = code
    }
  }
}

extension FolderScan {
  /// The lists of files.
  fileprivate enum List {
    case entries, otherFiles, settingsFiles, ignoreFiles, conflictCopies, staleTempFiles
  }

  fileprivate mutating func add(_ file: FoundFile, to list: List) {
    switch list {
    case .entries: entries.append(file)
    case .otherFiles: otherFiles.append(file)
    case .settingsFiles: settingsFiles.append(file)
    case .ignoreFiles: ignoreFiles.append(file)
    case .conflictCopies: conflictCopies.append(file)
    case .staleTempFiles: staleTempFiles.append(file)
    }
  }

  fileprivate mutating func sort() {
    func order(_ files: inout [FoundFile]) { files.sort { $0.path < $1.path } }
    order(&entries)
    order(&otherFiles)
    order(&settingsFiles)
    order(&ignoreFiles)
    order(&conflictCopies)
    order(&staleTempFiles)
    repositories.sort()
    encryptedFolders.sort()
    notRegular.sort()
  }

  fileprivate static func += (walk: inout FolderScan, part: FolderScan) {
    walk.entries += part.entries
    walk.otherFiles += part.otherFiles
    walk.settingsFiles += part.settingsFiles
    walk.ignoreFiles += part.ignoreFiles
    walk.conflictCopies += part.conflictCopies
    walk.staleTempFiles += part.staleTempFiles
    walk.repositories += part.repositories
    walk.encryptedFolders += part.encryptedFolders
    walk.notRegular += part.notRegular
    walk.unreadable += part.unreadable
  }
}

extension JournalFolder {
  /// Scans the whole folder. With `includesOthers`, files that are not entries are listed too.
  ///
  /// It reads only names and signatures, and the first line of `INDEX.md`.
  package func scan(_ rules: EntryMatcher, includesOthers: Bool = false) -> FolderScan {
    var scanner = FolderScanner(folder: self, rules: rules, includesOthers: includesOthers)
    scanner.run()
    return scanner.result
  }
}

/// A scan in progress, or one thread's part of it.
private struct FolderScanner {
  let folder: JournalFolder
  let rules: EntryMatcher
  let includesOthers: Bool
  var result = FolderScan()
  /// The folders that are still to be scanned. Each is opened from the root, so one descriptor is
  /// enough at any depth.
  private var unscannedFolders: [EntryPath] = []
  private var devices: [EntryPath: UInt64] = [:]

  init(folder: JournalFolder, rules: EntryMatcher, includesOthers: Bool) {
    self.folder = folder
    self.rules = rules
    self.includesOthers = includesOthers
  }

  mutating func run() {
    scan(nil)
    while !unscannedFolders.isEmpty { scanFolders() }
    result.sort()
    let devices = devices
    folder.foreignDevices.withLock { $0 = devices }
  }

  /// Scans the folders found so far and queues their subfolders. Nearly all of the time is spent in
  /// `fstatat`, which the kernel serves in parallel.
  private mutating func scanFolders() {
    let folders = unscannedFolders
    unscannedFolders = []
    // For a few folders, threads cost more than they save.
    guard folders.count >= 8 else { return folders.forEach { scan($0) } }
    let empty = FolderScanner(folder: folder, rules: rules, includesOthers: includesOthers)
    let parts = concurrentMap(folders, chunkSize: 1) { path in
      var part = empty
      part.scan(path)
      // Sorting in parallel leaves less to sort at the end.
      part.result.sort()
      return part
    }
    for index in folders.indices.sorted(by: { folders[$0] < folders[$1] }) { merge(parts[index]) }
  }

  private mutating func merge(_ part: FolderScanner) {
    result += part.result
    unscannedFolders += part.unscannedFolders
    devices.merge(part.devices) { device, _ in device }
  }

  private mutating func scan(_ path: EntryPath?) {
    let flags = O_RDONLY | O_DIRECTORY
    let number = openBeneath(folder.rootDescriptor, path?.bytes ?? [UInt8(ascii: ".")], flags)
    guard number >= 0 else { return recordUnreadable(path, errno) }
    let directory = Descriptor(owning: number)
    var status = stat()
    if fstat(number, &status) == 0, UInt64(status.st_dev) != folder.rootDevice, let path {
      devices[path] = UInt64(status.st_dev)
    }
    guard let names = listFolder(number) else { return recordUnreadable(path, errno) }
    let isSettings = path?.names.first?.elementsEqual(".diary".utf8) ?? false
    if let path {
      if names.contains(where: { $0.name.count == 4 && $0.name.elementsEqual(".git".utf8) }) {
        result.repositories.append(path)
        return
      }
      if names.contains(where: { $0.name.elementsEqual("gocryptfs.diriv".utf8) })
        || devices[path] != nil && diary_is_encrypted_folder(number, ".") != 0
      {
        result.encryptedFolders.append(path)
        return
      }
    }
    for name in names {
      guard let child = EntryPath(name.name, in: path) else { continue }
      isSettings
        ? classifySettings(name, child, directory.number) : classify(name, child, directory.number)
    }
  }

  private mutating func classify(_ name: ListedName, _ path: EntryPath, _ directory: Int32) {
    if name.name.first == UInt8(ascii: ".") {
      if TempFile.isName(name.name) { add(name, path, directory, to: .staleTempFiles) }
      if name.name.elementsEqual(".gitignore".utf8) { add(name, path, directory, to: .ignoreFiles) }
      if path.bytes.elementsEqual(".diary".utf8) { add(name, path, directory, to: nil) }
      return
    }
    // The checks by name are only made for files: for folders they would check all parents, too.
    if name.kind == UInt8(DT_DIR) { return add(name, path, directory, to: nil) }
    if rules.isEntry(path), !isListFile(path) {
      add(name, path, directory, to: .entries)
    } else if ConflictCopy.isCopyName(name.name[...]) {
      add(name, path, directory, to: .conflictCopies)
    } else if includesOthers, rules.mayBeSaved(path), !isListFile(path) {
      add(name, path, directory, to: .otherFiles)
    } else {
      add(name, path, directory, to: nil)
    }
  }

  private mutating func classifySettings(_ name: ListedName, _ path: EntryPath, _ directory: Int32)
  {
    if TempFile.isName(name.name) { return add(name, path, directory, to: .staleTempFiles) }
    add(name, path, directory, to: EntryMatcher.isSettingsFile(path) ? .settingsFiles : nil)
  }

  /// Adds a regular file to the list and a folder to the unscanned ones. Of everything else, only what
  /// has the name of an entry is listed.
  private mutating func add(
    _ name: ListedName, _ path: EntryPath, _ directory: Int32,
    to list: FolderScan.List?
  ) {
    if name.kind == UInt8(DT_DIR) { return unscannedFolders.append(path) }
    guard name.kind == UInt8(DT_UNKNOWN) || (name.kind == UInt8(DT_REG) && list != nil) else {
      if list == .entries { result.notRegular.append(path) }
      return
    }
    var status = stat()
    guard
      withTemporaryCString(name.name, { fstatat(directory, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0
    else {
      // The file was removed after it was listed.
      return errno == ENOENT ? () : recordUnreadable(path, errno)
    }
    if status.st_mode & S_IFMT == S_IFDIR {
      unscannedFolders.append(path)
    } else if status.isRegular, let list {
      result.add(
        FoundFile(
          path: path, signature: FileSignature(status),
          statusChangedAt: FileSignature.nanoseconds(status.st_ctim)
        ),
        to: list)
    } else if list == .entries {
      result.notRegular.append(path)
    }
  }

  private func isListFile(_ path: EntryPath) -> Bool {
    rules.mayBeListFile(path) && folder.isListFile(path)
  }

  private mutating func recordUnreadable(_ path: EntryPath?, _ code: Int32) {
    // The folder was removed or replaced after its name was read.
    if path != nil, [ENOENT, ENOTDIR, ELOOP].contains(code) { return }
    result.unreadable.append(FolderScan.Unreadable(path: path, code: code))
  }
}
