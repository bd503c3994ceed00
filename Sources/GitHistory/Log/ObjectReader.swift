import CLibgit2
import DiaryCore
import Glibc

/// Reads commits and trees in great number: their bytes as git keeps them, without libgit2's objects
/// in between.
///
/// While one exists, libgit2 neither computes every object's hash again (half of a walk's time: it only
/// compares names) nor keeps what was read: a walk reads each object once. Texts that are shown or
/// brought back are read when it is gone.
final class ObjectReader {
  private let database: OpaquePointer
  private let location: RepositoryLocation
  /// Commits whose parents a shallow clone left out.
  let shallowBoundary: Set<ObjectID>
  private var commits: [ObjectID: CommitNode] = [:]
  private let graph: CommitGraph?

  init(_ repository: OpaquePointer, _ location: RepositoryLocation) throws(GitError) {
    var opened: OpaquePointer?
    try GitError.check(
      git_repository_odb(&opened, repository), "open", location.commonDirectory + "/objects")
    guard let opened else {
      throw GitError("open", location.workTree, .damaged, "it has no objects")
    }
    let listed = try readFile(location.commonDirectory + "/shallow") ?? []
    shallowBoundary = Set(
      listed.split(separator: UInt8(ascii: "\n")).compactMap { line in
        line.withUnsafeBufferPointer { ObjectID(hex: $0) }
      })
    graph = shallowBoundary.isEmpty ? CommitGraph(location) : nil
    database = opened
    self.location = location
    _ = diary_git_set_strict_hash(0)
    _ = diary_git_set_caching(0)
  }

  deinit {
    // A chain of a hundred thousand commits, each released by the one before, would end the stack.
    for node in commits.values { node.parentNodes = [] }
    git_odb_free(database)
    _ = diary_git_set_strict_hash(1)
    _ = diary_git_set_caching(1)
  }

  /// Lets `body` see an object's bytes.
  func read<Value>(
    _ id: ObjectID, _ what: String, _ body: (UnsafeBufferPointer<UInt8>) -> Value
  ) throws(GitError) -> Value {
    var raw = id.raw
    var object: OpaquePointer?
    try GitError.check(git_odb_read(&object, database, &raw), "read the \(what)", id.short)
    defer { git_odb_object_free(object) }
    let start = git_odb_object_data(object)?.assumingMemoryBound(to: UInt8.self)
    return body(UnsafeBufferPointer(start: start, count: git_odb_object_size(object)))
  }

  /// A commit, read once: its tree, its parents and when it was committed.
  func commit(_ id: ObjectID) throws(GitError) -> CommitNode {
    if let known = commits[id] { return known }
    let node: CommitNode
    if let row = graph?.row(id) {
      node = CommitNode(id, row)
    } else {
      node = CommitNode(id)
      try parse(node)
    }
    if shallowBoundary.contains(id) {
      node.isShallowBoundary = true
      node.parents = []
    }
    commits[id] = node
    return node
  }

  /// A commit with all that its own bytes tell.
  func parsedCommit(_ id: ObjectID) throws(GitError) -> CommitNode {
    let node = try commit(id)
    try parse(node)
    return node
  }

  /// Reads what git's table does not know of a commit: who wrote it when, and whether it is a save.
  func parse(_ node: CommitNode) throws(GitError) {
    if node.isParsed { return }
    guard try read(node.id, "commit", { node.parse($0) }) else {
      throw GitError("read the commit", node.id.short, .damaged, "it is malformed")
    }
  }

  /// A commit's message, and its author's clock in minutes east of UTC.
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

/// What a walk needs of a commit; it belongs to one reader.
final class CommitNode {
  let id: ObjectID
  private(set) var tree: ObjectID
  fileprivate(set) var parents: [ObjectID] = []
  /// Seconds since 1970.
  private(set) var authorTime = 0
  private(set) var commitTime = 0
  /// `nil` for a commit that is no save.
  private(set) var save: SaveTrailer?
  /// Whether ``authored`` and ``save`` are known.
  private(set) var isParsed = false
  /// A shallow clone ends here.
  fileprivate(set) var isShallowBoundary = false
  /// Names (a bit each) that a walk is to look at here.
  var nameMask: UInt64 = 0
  /// Commits of the same walk that come before this one, not passed yet.
  var pendingChildren = 0
  /// The walk that it belongs to, 1 the first.
  var walkID = 0
  /// Its parents, as a walk has read them.
  var parentNodes: [CommitNode] = []
  /// When it was committed, but never before its parents, whatever the clock said.
  var monotonicTime = 0

  struct SaveTrailer {
    /// The commit of the branch that it was made on.
    var tip: ObjectID?
    /// Made by the end of a sitting.
    var isSitting: Bool
  }

  /// A commit of which nothing is known yet.
  init(_ id: ObjectID) {
    self.id = id
    tree = id
  }

  init(_ id: ObjectID, _ row: CommitGraph.Row) {
    self.id = id
    tree = row.tree
    parents = row.parents
    commitTime = row.commitTime
  }

  /// Takes in a commit's bytes; answers whether they make sense.
  fileprivate func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count > 46, bytes[0] == UInt8(ascii: "t"),
      let tree = ObjectID(hex: UnsafeBufferPointer(rebasing: bytes[5...]))
    else { return false }
    self.tree = tree
    parents = []
    var at = 46
    while at + 48 <= bytes.count, bytes[at] == UInt8(ascii: "p") {
      guard let parent = ObjectID(hex: UnsafeBufferPointer(rebasing: bytes[(at + 7)...])) else {
        return false
      }
      parents.append(parent)
      at += 48
    }
    authorTime = CommitNode.time(bytes, after: &at)
    commitTime = CommitNode.time(bytes, after: &at)
    save = CommitNode.save(UnsafeBufferPointer(rebasing: bytes[min(at, bytes.count)...]))
    isParsed = true
    return true
  }

  /// The seconds after the address of a line (`author A <a@b> 1700000000 +0900`); goes on to the next.
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

  /// A save's message ends with the tip that it was made on.
  private static func save(_ text: UnsafeBufferPointer<UInt8>) -> SaveTrailer? {
    let end = text.last == UInt8(ascii: "\n") ? text.count - 1 : text.count
    let trailer = SaveCommit.tipKey.utf8
    // Nearly every commit is told by one byte.
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
    return SaveTrailer(
      tip: tip, isSitting: line?.starts(with: SaveCommit.sittingKey.utf8) == true)
  }
}
