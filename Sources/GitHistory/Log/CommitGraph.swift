import Glibc

/// A reader of git's commit-graph file (`objects/info/commit-graph`, written by `git gc`): tree,
/// parents and time of each commit, without unpacking the commit. libgit2 does not offer it.
///
/// A file that is missing, damaged, of another version or split counts as absent.
struct CommitGraph {
  private let bytes: [UInt8]
  private let count: Int
  private let fanoutOffset: Int
  private let idsOffset: Int
  private let dataOffset: Int

  /// The data of one commit in the file.
  struct Row {
    var tree: ObjectID
    var parents: [ObjectID]
    /// Seconds since 1970.
    var commitTime: Int
  }

  init?(_ location: RepositoryLocation) {
    guard let bytes = try? readFile(location.commonDirectory + "/objects/info/commit-graph"),
      bytes.count > 28, bytes.starts(with: Array("CGPH".utf8) + [1, 1]), bytes[7] == 0
    else { return nil }
    self.bytes = bytes
    var starts: [String: Int] = [:]
    for chunk in 0..<Int(bytes[6]) {
      let at = 8 + 12 * chunk
      guard at + 12 <= bytes.count else { return nil }
      let name = String(decoding: bytes[at..<(at + 4)], as: UTF8.self)
      starts[name] =
        Int(bytes.bigEndianUInt32(at: at + 4)) << 32 | Int(bytes.bigEndianUInt32(at: at + 8))
    }
    guard let fanoutOffset = starts["OIDF"], let idsOffset = starts["OIDL"],
      let dataOffset = starts["CDAT"],
      fanoutOffset > 0, fanoutOffset <= bytes.count - 1024
    else { return nil }
    let count = Int(bytes.bigEndianUInt32(at: fanoutOffset + 1020))
    guard idsOffset > 0, dataOffset > 0, idsOffset <= bytes.count - 20 * count,
      dataOffset <= bytes.count - 36 * count
    else { return nil }
    (self.count, self.fanoutOffset, self.idsOffset, self.dataOffset) = (
      count, fanoutOffset, idsOffset, dataOffset
    )
  }

  /// Returns the data of a commit, or `nil` if the file lacks the commit or one of its parents.
  func row(_ id: ObjectID) -> Row? {
    var raw = id.raw
    return bytes.withUnsafeBytes { all in
      guard let start = all.baseAddress else { return nil }
      let first = withUnsafeBytes(of: &raw) { Int($0[0]) }
      var low = first == 0 ? 0 : Int(bytes.bigEndianUInt32(at: fanoutOffset + 4 * (first - 1)))
      var high = min(Int(bytes.bigEndianUInt32(at: fanoutOffset + 4 * first)), count)
      while low < high {
        let middle = (low + high) / 2
        let order = memcmp(&raw, start + idsOffset + 20 * middle, 20)
        if order == 0 { return row(at: middle, start) }
        if order < 0 { high = middle } else { low = middle + 1 }
      }
      return nil
    }
  }

  private func row(at index: Int, _ start: UnsafeRawPointer) -> Row? {
    let at = dataOffset + 36 * index
    let none = 0x7000_0000
    var parents: [ObjectID] = []
    for offset in [at + 20, at + 24] {
      let parent = Int(bytes.bigEndianUInt32(at: offset))
      if parent == none { continue }
      // Commits with more than two parents use a separate list, which is not read.
      guard parent < count else { return nil }
      parents.append(ObjectID(start + idsOffset + 20 * parent))
    }
    let time =
      (Int(bytes.bigEndianUInt32(at: at + 28)) & 3) << 32 | Int(bytes.bigEndianUInt32(at: at + 32))
    return Row(tree: ObjectID(start + at), parents: parents, commitTime: time)
  }
}
