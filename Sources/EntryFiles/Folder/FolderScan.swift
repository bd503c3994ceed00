import DiaryCore
import Glibc
import Synchronization

/// A file that a walk found.
package struct FoundFile: Sendable, Hashable {
  /// Where it is.
  package var path: EntryPath
  /// How it looked.
  package var stamp: FileSignature
  /// When anything of it was last touched, also by a write that put its time back (nanoseconds since
  /// 1970; `ctime`).
  package var touched: Int64

  package init(path: EntryPath, stamp: FileSignature, touched: Int64) {
    self.path = path
    self.stamp = stamp
    self.touched = touched
  }
}

/// All that one look through the journal's folder found; every list in the order of the paths'
/// bytes. Hidden folders and links are not entered.
package struct FolderScan: Sendable, Equatable {
  /// Nanoseconds since 1970 when the walk began.
  package var startedAt: Int64 = 0
  /// Files that the rules take for entries. Whether git ignores them is not asked here.
  package var entries: [FoundFile] = []
  /// Other files that may be saved in a journal that Diary made (`files: all`): visible, ordinary,
  /// no editor's own, no key, no list of Diary's. Empty unless asked for.
  package var others: [FoundFile] = []
  /// The settings and the writer's templates: `.diary/config.yml` and `.diary/templates/`.
  package var own: [FoundFile] = []
  /// The `.gitignore` files, for whoever remembers what git ignores.
  package var ignoreFiles: [FoundFile] = []
  /// Copies that a sync program made of files that two devices had changed; no entries.
  package var conflictCopies: [FoundFile] = []
  /// Folders that are other repositories, or submodules; nothing in them belongs to the journal.
  package var repositories: [EntryPath] = []
  /// Temporary files of a Diary that was killed while it wrote.
  package var leftovers: [FoundFile] = []
  /// What could not be looked at, with its `errno`. While this is not empty, a file that was not
  /// found is not known to be gone.
  package var unreadable: [Unreadable] = []

  /// Nothing was found.
  package init() {}

  /// Something that could not be looked at.
  package struct Unreadable: Sendable, Hashable {
    /// `nil`: the journal's own folder.
    package var path: EntryPath?
    /// The `errno`.
    package var code: Int32

    /// A place and what the system said about it.
    package init(path: EntryPath?, code: Int32) {
      self.path = path
      self.code = code
    }
  }
}

extension FolderScan {
  /// The lists of files.
  fileprivate enum List { case entries, others, own, ignoreFiles, conflictCopies, leftovers }

  fileprivate mutating func add(_ file: FoundFile, to list: List) {
    switch list {
    case .entries: entries.append(file)
    case .others: others.append(file)
    case .own: own.append(file)
    case .ignoreFiles: ignoreFiles.append(file)
    case .conflictCopies: conflictCopies.append(file)
    case .leftovers: leftovers.append(file)
    }
  }

  fileprivate mutating func sort() {
    func order(_ files: inout [FoundFile]) { files.sort { $0.path < $1.path } }
    order(&entries)
    order(&others)
    order(&own)
    order(&ignoreFiles)
    order(&conflictCopies)
    order(&leftovers)
    repositories.sort()
  }

  fileprivate static func += (walk: inout FolderScan, part: FolderScan) {
    walk.entries += part.entries
    walk.others += part.others
    walk.own += part.own
    walk.ignoreFiles += part.ignoreFiles
    walk.conflictCopies += part.conflictCopies
    walk.leftovers += part.leftovers
    walk.repositories += part.repositories
    walk.unreadable += part.unreadable
  }
}

extension JournalFolder {
  /// Looks through the whole folder. With `others`, files that are no entries are listed too.
  ///
  /// Nothing is read but names and stamps, and the first line of `INDEX.md`.
  package func walk(_ rules: EntryMatcher, others: Bool = false) -> FolderScan {
    var walker = FolderScanner(folder: self, rules: rules, wantsOthers: others)
    walker.run()
    return walker.found
  }
}

/// One walk under way, or one thread's part of it.
private struct FolderScanner {
  let folder: JournalFolder
  let rules: EntryMatcher
  let wantsOthers: Bool
  var found = FolderScan()
  /// Folders still to be entered. Each is opened from the root, so that one descriptor is enough
  /// at any depth.
  private var waiting: [EntryPath] = []
  private var devices: [EntryPath: UInt64] = [:]

  init(folder: JournalFolder, rules: EntryMatcher, wantsOthers: Bool) {
    self.folder = folder
    self.rules = rules
    self.wantsOthers = wantsOthers
  }

  mutating func run() {
    found.startedAt = wallClock()
    enter(nil)
    while !waiting.isEmpty { enterAll() }
    found.sort()
    let devices = devices
    folder.foreignDevices.withLock { $0 = devices }
  }

  /// Enters every folder that waits; the folders in them wait then. Asking for the stamps is nearly
  /// all of a walk, and the kernel answers several threads at once.
  private mutating func enterAll() {
    let folders = waiting
    waiting = []
    // A thread would cost more than it saves.
    guard folders.count >= 8 else { return folders.forEach { enter($0) } }
    let empty = FolderScanner(folder: folder, rules: rules, wantsOthers: wantsOthers)
    let parts = sideBySide(folders, portion: 1) { path in
      var part = empty
      part.enter(path)
      // Side by side, so that what is sorted at the end is in order already.
      part.found.sort()
      return part
    }
    for index in folders.indices.sorted(by: { folders[$0] < folders[$1] }) { take(parts[index]) }
  }

  private mutating func take(_ part: FolderScanner) {
    found += part.found
    waiting += part.waiting
    devices.merge(part.devices) { device, _ in device }
  }

  private mutating func enter(_ path: EntryPath?) {
    let flags = O_RDONLY | O_DIRECTORY
    let number = openBeneath(folder.rootDescriptor, path?.bytes ?? [UInt8(ascii: ".")], flags)
    guard number >= 0 else { return note(path, errno) }
    let holder = Descriptor(owning: number)
    var facts = stat()
    if fstat(number, &facts) == 0, UInt64(facts.st_dev) != folder.rootDevice, let path {
      devices[path] = UInt64(facts.st_dev)
    }
    guard let names = listFolder(number) else { return note(path, errno) }
    let isOwn = path?.names.first?.elementsEqual(".diary".utf8) ?? false
    if let path {
      if names.contains(where: { $0.name.count == 4 && $0.name.elementsEqual(".git".utf8) }) {
        found.repositories.append(path)
        return
      }
    }
    for name in names {
      guard let child = path?.appending(name.name) ?? EntryPath(bytes: name.name) else { continue }
      isOwn ? lookAtOwn(name, child, holder.number) : look(name, child, holder.number)
    }
  }

  private mutating func look(_ name: ListedName, _ path: EntryPath, _ holder: Int32) {
    if name.name.first == UInt8(ascii: ".") {
      if TempFile.isName(name.name) { keep(name, path, holder, in: .leftovers) }
      if name.name.elementsEqual(".gitignore".utf8) { keep(name, path, holder, in: .ignoreFiles) }
      if path.bytes.elementsEqual(".diary".utf8) { keep(name, path, holder, in: nil) }
      return
    }
    // What it may be called is asked of files alone: it would be asked of all folders above, too.
    if name.kind == UInt8(DT_DIR) { return keep(name, path, holder, in: nil) }
    if rules.isEntry(path), !isGenerated(path) {
      keep(name, path, holder, in: .entries)
    } else if ConflictCopy.isName(name.name[...]) {
      keep(name, path, holder, in: .conflictCopies)
    } else if wantsOthers, rules.allowsOther(path), !isGenerated(path) {
      keep(name, path, holder, in: .others)
    } else {
      keep(name, path, holder, in: nil)
    }
  }

  private mutating func lookAtOwn(_ name: ListedName, _ path: EntryPath, _ holder: Int32) {
    if TempFile.isName(name.name) { return keep(name, path, holder, in: .leftovers) }
    keep(name, path, holder, in: EntryMatcher.isOwn(path) ? .own : nil)
  }

  /// Puts an ordinary file on the list and a folder among those to enter; all else is passed by.
  private mutating func keep(
    _ name: ListedName, _ path: EntryPath, _ holder: Int32,
    in list: FolderScan.List?
  ) {
    if name.kind == UInt8(DT_DIR) { return waiting.append(path) }
    guard name.kind == UInt8(DT_UNKNOWN) || (name.kind == UInt8(DT_REG) && list != nil) else {
      return
    }
    var facts = stat()
    guard withTerminated(name.name, { fstatat(holder, $0, &facts, AT_SYMLINK_NOFOLLOW) }) == 0
    else {
      // Gone since it was listed: as if it had not been.
      return errno == ENOENT ? () : note(path, errno)
    }
    if facts.st_mode & S_IFMT == S_IFDIR {
      waiting.append(path)
    } else if facts.isRegular, let list {
      found.add(
        FoundFile(
          path: path, stamp: FileSignature(facts), touched: FileSignature.nanoseconds(facts.st_ctim)
        ),
        to: list)
    }
  }

  private func isGenerated(_ path: EntryPath) -> Bool {
    rules.mayBeGenerated(path) && folder.isMadeByDiary(path)
  }

  private mutating func note(_ path: EntryPath?, _ code: Int32) {
    // A folder that went away, or became something else, since its name was read.
    if path != nil, [ENOENT, ENOTDIR, ELOOP].contains(code) { return }
    found.unreadable.append(FolderScan.Unreadable(path: path, code: code))
  }
}
