import DiaryCore
import Glibc

/// What stands at a name of a tree.
struct Slot: Hashable {
  var key: ObjectKey
  var mode: UInt32

  var isFolder: Bool { mode == TreeEntry.folder }
  var isRegular: Bool { mode & 0o170000 == 0o100000 }
}

/// One path looked up in many trees. A folder that was looked into once is known by its name from
/// then on: where a path's first folder did not change, nothing below it did.
final class PathLook {
  private let names: [[UInt8]]
  private var known: [[ObjectKey: Slot?]]
  /// The last few whole trees: a commit's is asked for again as its child's parent's.
  private var recent: [(tree: ObjectKey, file: Slot?)] = []
  private var oldest = 0

  init(_ path: EntryPath) {
    names = path.names.map { Array($0) }
    known = Array(repeating: [:], count: names.count)
  }

  /// The file at the path below `tree`; `nil` when there is none.
  func file(below tree: ObjectKey, _ reader: ObjectReader) throws(GitError) -> Slot? {
    if let answer = recent.first(where: { $0.tree == tree }) { return answer.file }
    let file = try slot(tree, 0, reader)
    if recent.count < 8 {
      recent.append((tree, file))
    } else {
      recent[oldest] = (tree, file)
      oldest = (oldest + 1) & 7
    }
    return file
  }

  private func slot(
    _ tree: ObjectKey, _ depth: Int, _ reader: ObjectReader
  ) throws(GitError) -> Slot? {
    if depth > 0, let answer = known[depth][tree] { return answer }
    let name = names[depth]
    var found: Slot?
    if let here = try reader.read(tree, "tree", { Slot.find(name, in: $0) }) {
      if depth == names.count - 1 {
        found = here.isRegular ? here : nil
      } else if here.isFolder {
        found = try slot(here.key, depth + 1, reader)
      }
    }
    if depth > 0 { known[depth].updateValue(found, forKey: tree) }
    return found
  }
}

extension Slot {
  /// The entry of that name in a tree's bytes.
  static func find(_ name: [UInt8], in tree: UnsafeBufferPointer<UInt8>) -> Slot? {
    name.withUnsafeBufferPointer { name in
      each(in: tree) { entry, slot in
        guard entry.count == name.count, let one = entry.baseAddress, let other = name.baseAddress,
          memcmp(one, other, entry.count) == 0
        else { return nil }
        return slot()
      }
    }
  }

  /// Every entry of a tree, in git's order.
  static func all(in tree: UnsafeBufferPointer<UInt8>) -> [(name: [UInt8], slot: Slot)] {
    var found: [(name: [UInt8], slot: Slot)] = []
    let _: Bool? = each(in: tree) { name, slot in
      found.append((Array(name), slot()))
      return nil
    }
    return found
  }

  /// Goes through a tree's `MODE NAME\0ID` until `body` answers.
  private static func each<Value>(
    in tree: UnsafeBufferPointer<UInt8>,
    _ body: (UnsafeBufferPointer<UInt8>, () -> Slot) -> Value?
  ) -> Value? {
    guard let start = tree.baseAddress else { return nil }
    var at = 0
    while at < tree.count {
      var mode: UInt32 = 0
      while at < tree.count, tree[at] != UInt8(ascii: " ") {
        mode = mode << 3 | UInt32(tree[at] & 7)
        at += 1
      }
      guard at + 1 < tree.count, let nul = memchr(start + at, 0, tree.count - at) else {
        return nil
      }
      let end = UnsafePointer(nul.assumingMemoryBound(to: UInt8.self)) - start
      guard end + 20 < tree.count else { return nil }
      let name = UnsafeBufferPointer(rebasing: tree[(at + 1)..<end])
      let value = body(name) {
        Slot(key: ObjectKey(UnsafeRawPointer(start + end + 1)), mode: mode)
      }
      if let value { return value }
      at = end + 21
    }
    return nil
  }
}
