import CLibgit2
import Glibc

/// A reader for many commits and trees: their bytes as git stores them, not libgit2's objects.
///
/// While a reader exists, libgit2 does not recompute each object's hash (half of a walk's time: a
/// walk only compares ids) and caches no objects: a walk reads each once. Texts that are shown or
/// restored are read after the reader is released.
final class ObjectReader {
  private let database: OpaquePointer
  /// The commits whose parents are missing in a shallow clone.
  let shallowBoundary: Set<ObjectID>
  private var commits: [ObjectID: CommitNode] = [:]

  init(_ repository: OpaquePointer, _ location: RepositoryLocation) throws(GitError) {
    let listed = try readFile(location.commonDirectory + "/shallow") ?? []
    var opened: OpaquePointer?
    try GitError.check(
      git_repository_odb(&opened, repository), "open", location.commonDirectory + "/objects")
    guard let opened else {
      throw GitError("open", location.workTree, .damaged, "it has no objects")
    }
    shallowBoundary = Set(
      listed.split(separator: UInt8(ascii: "\n")).compactMap { line in
        line.withUnsafeBufferPointer { ObjectID(hex: $0) }
      })
    database = opened
    _ = diary_git_set_strict_hash(0)
    _ = diary_git_set_caching(0)
  }

  deinit {
    // Releasing a chain of a hundred thousand commits one by one would overflow the stack.
    for node in commits.values { node.parentNodes = [] }
    git_odb_free(database)
    _ = diary_git_set_strict_hash(1)
    _ = diary_git_set_caching(1)
  }

  /// Calls `body` with an object's bytes.
  func read<Value>(
    _ id: ObjectID, _ what: String, _ body: (UnsafeBufferPointer<UInt8>) throws(GitError) -> Value
  ) throws(GitError) -> Value {
    var raw = id.raw
    var object: OpaquePointer?
    try GitError.check(
      GitError.read(&object) { git_odb_read(&$0, database, &raw) }, "read the \(what)", id.short)
    defer { git_odb_object_free(object) }
    let start = git_odb_object_data(object)?.assumingMemoryBound(to: UInt8.self)
    return try body(UnsafeBufferPointer(start: start, count: git_odb_object_size(object)))
  }

  /// Returns every entry of a tree, in git's order.
  func treeItems(_ tree: ObjectID) throws(GitError) -> [TreeItem] {
    try TreeItem.all(in: read(tree, "tree") { Array($0) })
  }

  /// Returns a commit. Each commit is read once.
  func commit(_ id: ObjectID) throws(GitError) -> CommitNode {
    if let known = commits[id] { return known }
    guard let node = try read(id, "commit", { CommitNode(id, $0) }) else {
      throw GitError("read the commit", id.short, .damaged, "it is malformed")
    }
    if shallowBoundary.contains(id) {
      node.isShallowBoundary = true
      node.parents = []
    }
    commits[id] = node
    return node
  }

  /// Returns a commit's message, and its author's time zone in minutes east of UTC.
  func message(_ id: ObjectID) throws(GitError) -> (message: String, offsetMinutes: Int) {
    try read(id, "commit") { bytes in
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let header = lines.prefix { !$0.isEmpty }
      let author = header.first { $0.starts(with: "author ".utf8) }
      let zone = author?.split(separator: UInt8(ascii: " ")).last
      let number = zone.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
      let body = lines.dropFirst(header.count + 1).joined(separator: [UInt8(ascii: "\n")])
      return (String(decoding: Array(body), as: UTF8.self), number / 100 * 60 + number % 100)
    }
  }
}

/// The data of a commit that a walk needs. It belongs to one reader.
final class CommitNode {
  let id: ObjectID
  let tree: ObjectID
  fileprivate(set) var parents: [ObjectID] = []
  /// Seconds since 1970.
  let authorTime: Int
  let commitTime: Int
  /// `nil` if the commit is not a save.
  let save: SaveTrailer?
  /// True if a shallow clone ends at this commit.
  fileprivate(set) var isShallowBoundary = false
  /// The names (one bit each) that a walk looks up at this commit.
  var nameMask: UInt64 = 0
  /// The number of children in the same walk that are not visited yet.
  var unvisitedChildren = 0
  /// The number of the walk that visits this commit, from 1.
  var walkID = 0
  /// The parents, as read by a walk.
  var parentNodes: [CommitNode] = []
  /// The commit time, but never before that of the parents, whatever the clock said.
  var monotonicTime = 0

  struct SaveTrailer {
    /// The commit of the branch that the save was made on.
    var tip: ObjectID?
    /// True if the end of a sitting made the commit.
    var isSitting: Bool
  }

  /// Parses a commit's bytes; `nil` if they are malformed.
  fileprivate init?(_ id: ObjectID, _ bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count > 46, bytes[0] == UInt8(ascii: "t"),
      let tree = ObjectID(hex: UnsafeBufferPointer(rebasing: bytes[5...]))
    else { return nil }
    (self.id, self.tree) = (id, tree)
    var at = 46
    while at + 48 <= bytes.count, bytes[at] == UInt8(ascii: "p") {
      guard let parent = ObjectID(hex: UnsafeBufferPointer(rebasing: bytes[(at + 7)...])) else {
        return nil
      }
      parents.append(parent)
      at += 48
    }
    authorTime = CommitNode.time(bytes, after: &at)
    commitTime = CommitNode.time(bytes, after: &at)
    save = CommitNode.save(UnsafeBufferPointer(rebasing: bytes[min(at, bytes.count)...]))
  }

  /// Reads the seconds after a line's address (`author A <a@b> 1700000000 +0900`), to its end.
  private static func time(_ bytes: UnsafeBufferPointer<UInt8>, after at: inout Int) -> Int {
    var index = at
    var seconds = 0
    var close = bytes.count
    while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
      if bytes[index] == UInt8(ascii: ">") { close = index }
      index += 1
    }
    at = index + 1
    close += 2
    let isNegative = close < index && bytes[close] == UInt8(ascii: "-")
    if isNegative { close += 1 }
    while close < index, (0x30...0x39).contains(bytes[close]), seconds < Int.max / 100 {
      seconds = seconds * 10 + Int(bytes[close]) - 0x30
      close += 1
    }
    return isNegative ? -seconds : seconds
  }

  /// Returns the trailer of a save: its message ends with the tip that it was made on.
  private static func save(_ text: UnsafeBufferPointer<UInt8>) -> SaveTrailer? {
    let end = text.last == UInt8(ascii: "\n") ? text.count - 1 : text.count
    let trailer = SaveCommit.tipKey.utf8
    // One byte rules out nearly every other commit.
    guard end > 4 + trailer.count,
      text[end - 4 - trailer.count] == trailer.first
        || text[max(0, end - 40 - trailer.count)] == trailer.first
    else { return nil }
    let named = UnsafeBufferPointer(rebasing: text[max(0, end - 40 - trailer.count)..<end])
    let none = text[max(0, end - 4 - trailer.count)..<end]
    let isNamed = named.starts(with: trailer) && named.count == 40 + trailer.count
    guard isNamed || none.elementsEqual(Array(trailer) + Array("none".utf8)) else { return nil }
    let tip = isNamed ? ObjectID(hex: UnsafeBufferPointer(rebasing: named[trailer.count...])) : nil
    let before = text[..<(end - trailer.count - (isNamed ? 40 : 4))]
    let line = before.dropLast().split(separator: UInt8(ascii: "\n")).last
    let isSitting = line.map {
      $0.starts(with: SaveCommit.sittingKey.utf8)
        || $0.starts(with: SaveCommit.formerSittingKey.utf8)
    }
    return SaveTrailer(tip: tip, isSitting: isSitting == true)
  }
}
