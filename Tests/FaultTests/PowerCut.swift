import Foundation
import TestSupport
import Testing

/// A possible state of a folder after a power cut: everything that was synced, and a part of the
/// remainder. It is made from the copies that `FaultTracer` stored at each sync.
struct PowerCut {
  /// The amount of unsynced data that is on the disk anyway.
  enum Disk: Sendable, CustomTestStringConvertible {
    /// Nothing: no name and no byte that was not synced.
    case strict
    /// Every name but no bytes: new files are empty, as in journaling file systems with delayed
    /// allocation.
    case namesFirst
    /// A random part, by this seed: some names, and unsynced bytes of some files completely, of
    /// some to the half, of some not at all.
    case anyPart(UInt64)

    static let extremes = [strict, namesFirst]

    var testDescription: String {
      switch self {
      case .strict: "strict"
      case .namesFirst: "names first"
      case .anyPart(let seed): "any part, seed \(seed)"
      }
    }
  }

  /// A file or folder at one sync.
  private struct Item {
    var inode: Substring
    var mode: UInt32
    var path: Substring
    var isFolder: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFDIR) }
    var isFile: Bool { mode & UInt32(S_IFMT) == UInt32(S_IFREG) }
  }

  /// The bytes of each inode that are certainly on the disk.
  private var bytes: [Substring: Data] = [:]
  /// The names in each folder (by its inode) that are certainly on the disk.
  private var names: [Substring: [Substring: Item]] = [:]
  private let root: Substring

  /// - Parameter kept: the folder where the tracer stored what the syncs found; `0` is the start,
  ///   when everything is on the disk.
  /// - Parameter folder: the traced folder.
  /// - Parameter effects: the tracer's report.
  init(_ kept: String, of folder: String, _ effects: [String]) throws {
    let first = try Self.items(kept + "/0.list")
    root = first.first { $0.path == "." }?.inode ?? ""
    add(first, kept + "/0")
    for effect in effects {
      let words = effect.split(separator: "\t", omittingEmptySubsequences: false)
      guard words.count == 3, FileManager.default.fileExists(atPath: "\(kept)/\(words[0]).list")
      else { continue }
      let items = try Self.items("\(kept)/\(words[0]).list")
      if words[1] == "syncfs" {
        add(items, "\(kept)/\(words[0])")
      } else {
        let path = "." + words[2].dropFirst(folder.count)
        guard let item = items.first(where: { $0.path == path }) else { continue }
        if item.isFolder { names[item.inode] = Self.children(of: item, items) }
        if item.isFile {
          bytes[item.inode] = FileManager.default.contents(
            atPath: "\(kept)/\(words[0])/\(item.path)")
        }
      }
    }
  }

  private mutating func add(_ items: [Item], _ copy: String) {
    for item in items where item.isFolder { names[item.inode] = Self.children(of: item, items) }
    for item in items where item.isFile {
      bytes[item.inode] = FileManager.default.contents(atPath: "\(copy)/\(item.path)")
    }
  }

  private static func children(of folder: Item, _ items: [Item]) -> [Substring: Item] {
    var children: [Substring: Item] = [:]
    for item in items {
      guard let slash = item.path.lastIndex(of: "/"), item.path[..<slash] == folder.path else {
        continue
      }
      children[item.path[item.path.index(after: slash)...]] = item
    }
    return children
  }

  private static func items(_ list: String) throws -> [Item] {
    let text = try String(contentsOfFile: list, encoding: .utf8)
    return text.split(separator: "\0").compactMap { line in
      let words = line.split(separator: "\t", maxSplits: 2)
      guard words.count == 3, let mode = UInt32(words[1], radix: 16) else { return nil }
      return Item(inode: words[0], mode: mode, path: words[2])
    }
  }

  /// Replaces the content that the program left in `folder` by that of the disk after the cut.
  ///
  /// - Parameter list: the tracer's list of the last state that the program saw, unused if `disk`
  ///   is `strict`.
  func apply(to folder: String, _ disk: Disk, lastSeen list: String? = nil) throws {
    var cut = self
    let seen = try list.map(Self.items) ?? []
    switch disk {
    case .strict: break
    case .namesFirst:
      for item in seen where item.isFolder { cut.names[item.inode] = Self.children(of: item, seen) }
    case .anyPart(let seed):
      var dice = SeededGenerator(seed)
      cut.chooseNames(of: seen, &dice)
      cut.chooseBytes(of: seen, in: folder, &dice)
    }
    // The folder itself may be a mount.
    for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
      try FileManager.default.removeItem(atPath: folder + "/" + name)
    }
    var made: [Substring: String] = [:]
    try cut.make(folder, root, &made)
  }

  /// Chooses for each name the synced or the last seen state. A renamed file has its old name, its
  /// new one or both, because a journaling disk never loses both. git syncs no folder in a remote:
  /// there, either all names are new or all are old.
  private mutating func chooseNames(of seen: [Item], _ dice: inout SeededGenerator) {
    var positions: [Substring: (folder: Substring, name: Substring, item: Item)] = [:]
    for folder in reachableInodes() {
      for (name, item) in names[folder] ?? [:] { positions[item.inode] = (folder, name, item) }
    }
    let isRemoteOld = Bool.random(using: &dice)
    for folder in seen.sorted(by: { $0.path < $1.path }) where folder.isFolder {
      let isRemote = folder.path.hasPrefix("./remote.git")
      let (old, new) = (names[folder.inode] ?? [:], Self.children(of: folder, seen))
      var kept = new
      for name in Set(old.keys).union(new.keys).sorted() {
        let isSynced = old[name]?.inode == new[name]?.inode
        let isOld = isRemote ? isRemoteOld : Bool.random(using: &dice)
        if !isSynced, isOld { kept[name] = old[name] }
      }
      // Renamed within the folder, and neither name was chosen: use the new one.
      for (name, item) in new
      where old[name]?.inode != item.inode && kept[name]?.inode != item.inode {
        let before = old.filter { $0.value.inode == item.inode && new[$0.key]?.inode != item.inode }
        let isLost = !before.isEmpty && before.keys.allSatisfy { kept[$0]?.inode != item.inode }
        if isLost { kept[name] = item }
      }
      names[folder.inode] = kept
    }
    let moved = Set(seen.map(\.inode)).intersection(positions.keys)
    while let lost = moved.subtracting(reachableInodes()).min() {
      var inode = lost
      while let place = positions[inode] {
        names[place.folder, default: [:]][place.name] = place.item
        inode = place.folder
      }
    }
  }

  /// The inodes that are reachable by a path from the root.
  private func reachableInodes() -> Set<Substring> {
    var (found, folders): (Set<Substring>, [Substring]) = ([root], [root])
    while let folder = folders.popLast() {
      for item in names[folder, default: [:]].values where found.insert(item.inode).inserted {
        folders.append(item.inode)
      }
    }
    return found
  }

  /// Keeps the unsynced bytes of each file completely, to the half or not at all.
  private mutating func chooseBytes(
    of seen: [Item], in folder: String, _ dice: inout SeededGenerator
  ) {
    var done: Set<Substring> = []
    for item in seen.sorted(by: { $0.path < $1.path }) where item.isFile {
      guard done.insert(item.inode).inserted,
        let now = FileManager.default.contents(atPath: folder + "/" + item.path)
      else { continue }
      let synced = bytes[item.inode] ?? Data()
      if now == synced { continue }
      let same = zip(now, synced).prefix { $0 == $1 }.count
      let half = same + (now.count - same) / 2
      switch dice.next() % 3 {
      case 0: bytes[item.inode] = now
      case 1: bytes[item.inode] = now.prefix(half) + synced.dropFirst(half)
      default: break
      }
    }
  }

  /// - Parameter made: the first path of each inode; its other names become hard links to it.
  private func make(
    _ folder: String, _ inode: Substring, _ made: inout [Substring: String]
  ) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, item) in names[inode] ?? [:] {
      let path = folder + "/" + name
      if item.isFolder {
        try make(path, item.inode, &made)
      } else if let first = made[item.inode] {
        try FileManager.default.linkItem(atPath: first, toPath: path)
      } else if item.isFile {
        try (bytes[item.inode] ?? Data()).write(to: URL(fileURLWithPath: path))
        made[item.inode] = path
      } else {
        continue
      }
      chmod(path, mode_t(item.mode & 0o7777))
    }
  }
}
