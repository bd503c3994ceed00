import CLinux
import DiaryCore
import Glibc

/// Finds files of the journal that programs have open, from `/proc`: programs of the same user (for
/// root, of all users). A scan takes some milliseconds, so it runs after a file has settled.
package enum OpenFiles {
  /// Returns those of `paths` that a program other than Diary has open for writing.
  package static func pathsOpenForWriting(
    among paths: some Sequence<EntryPath>, root: String
  ) -> Set<EntryPath> { openPaths(paths, root, writersOnly: true) }

  /// Returns those of `paths` that a program other than Diary has open, or for which vim or Neovim
  /// has a swap file in any folder.
  package static func openPaths(
    among paths: some Sequence<EntryPath>, root: String
  ) -> Set<EntryPath> { openPaths(paths, root, writersOnly: false) }

  private static func openPaths(
    _ paths: some Sequence<EntryPath>, _ root: String, writersOnly: Bool
  ) -> Set<EntryPath> {
    guard let journal = try? JournalFolder(root: root) else { return [] }
    var byIdentity: [FileIdentity: [EntryPath]] = [:]
    var wanted: [[UInt8]: Set<FileIdentity>] = [:]
    for path in paths {
      let number = openBeneath(journal.rootDescriptor, path.bytes, diary_path_only | O_NOFOLLOW)
      guard number >= 0 else { continue }
      let file = Descriptor(owning: number)
      var status = stat()
      guard fstat(file.number, &status) == 0 else { continue }
      let identity = FileIdentity(status)
      byIdentity[identity, default: []].append(path)
      wanted[Array(path.nameBytes), default: []].insert(identity)
    }
    var withSwapFile: Set<EntryPath> = []
    let swaps = writersOnly ? nil : OpenSwapFiles(of: byIdentity.values.joined(), in: journal)
    let open = scan(for: wanted, writersOnly: writersOnly) { name, process, link in
      guard let swaps else { return }
      withSwapFile.formUnion(swaps.entries(of: name) { firstBlock(process, link) })
    }
    return withSwapFile.union(open.flatMap { byIdentity[$0] ?? [] })
  }

  /// The first 1024 bytes of an open file.
  private static func firstBlock(_ process: Int32, _ link: [CChar]) -> [UInt8]? {
    let number = openat(process, link, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0)
    guard number >= 0 else { return nil }
    let file = Descriptor(owning: number)
    var block = [UInt8](repeating: 0, count: 1_024)
    let count = retryOnInterrupt { pread(file.number, &block, block.count, 0) }
    return count > 0 ? Array(block[..<count]) : nil
  }

  /// Scans all processes that may be inspected. The last path component is compared first: it costs
  /// one call, and further calls on a file on a dead network disk could hang.
  ///
  /// - Parameter others: called for each file with none of the wanted names, with its last path
  ///   component, the process's descriptor folder and the link.
  static func scan(
    for wanted: [[UInt8]: Set<FileIdentity>], writersOnly: Bool,
    others: (_ name: [UInt8], _ process: Int32, _ link: [CChar]) -> Void = { _, _, _ in }
  ) -> Set<FileIdentity> {
    let processes = openat(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
    guard processes >= 0, !wanted.isEmpty else { return [] }
    let processDirectory = Descriptor(owning: processes)
    let own = Array(String(getpid()).utf8)
    var found: Set<FileIdentity> = []
    for process in listFolder(processDirectory.number) ?? [] where process.name != own {
      guard let first = process.name.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
      else { continue }
      let name = cString(process.name + Array("/fd".utf8))
      let number = openat(processDirectory.number, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)
      guard number >= 0 else { continue }
      let openFiles = openFiles(Descriptor(owning: number), wanted, writersOnly, others)
      if !openFiles.isEmpty, !isDiary(process.name, in: processDirectory.number) {
        found.formUnion(openFiles)
      }
    }
    return found
  }

  /// True if the process is another Diary, which only reads or waits for a lock.
  private static func isDiary(_ process: [UInt8], in processes: Int32) -> Bool {
    var (own, other) = (stat(), stat())
    let program = cString(process + Array("/exe".utf8))
    return stat("/proc/self/exe", &own) == 0 && fstatat(processes, program, &other, 0) == 0
      && FileIdentity(own) == FileIdentity(other)
  }

  private static func openFiles(
    _ process: consuming Descriptor, _ wanted: [[UInt8]: Set<FileIdentity>], _ writersOnly: Bool,
    _ others: (_ name: [UInt8], _ process: Int32, _ link: [CChar]) -> Void
  ) -> Set<FileIdentity> {
    var found: Set<FileIdentity> = []
    for open in listFolder(process.number) ?? [] {
      let link = cString(open.name)
      guard let last = lastPathComponent(process.number, link) else { continue }
      guard let identities = wanted[last] else {
        others(last, process.number, link)
        continue
      }
      var status = stat()
      // The link's own permissions show how the file was opened: `l-wx------`.
      if writersOnly {
        guard fstatat(process.number, link, &status, AT_SYMLINK_NOFOLLOW) == 0,
          status.st_mode & S_IWUSR != 0
        else { continue }
      }
      guard fstatat(process.number, link, &status, 0) == 0 else { continue }
      let identity = FileIdentity(status)
      if identities.contains(identity) { found.insert(identity) }
    }
    return found
  }

  /// The last path component of a link in `/proc`; `nil` for pipes and sockets.
  private static func lastPathComponent(_ folder: Int32, _ link: [CChar]) -> [UInt8]? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let slash = CChar(bitPattern: UInt8(ascii: "/"))
      let length = readlinkat(folder, link, start, buffer.count)
      guard length > 0, buffer[0] == slash else { return nil }
      let target = buffer[..<length]
      let last = target.lastIndex(of: slash) ?? 0
      return target[(last + 1)...].map { UInt8(bitPattern: $0) }
    }
  }
}
