import DiaryCore
import GitHistory

/// Entry texts that this process has sent to web pages and that are stored nowhere else. They may
/// be lost at any time: a save then uses the version in git.
struct ServedTexts: Sendable {
  /// The limits: the number of texts, and their total size in bytes.
  static let (maxCount, maxBytes) = (64, 16 << 20)

  private var texts: [(version: ObjectID, bytes: [UInt8])] = []
  /// Entries that were created on a page and are still being edited there, each with the version in
  /// which it has no word of the user; empty if it had one from the beginning.
  var drafts: [EntryPath: String] = [:]
  /// The names that such entries had before their title named them. This process gives none of them to
  /// another entry: a page may still have the old address.
  var formerNames: Set<EntryPath> = []

  /// Stores a text, and removes the oldest texts above the limits.
  mutating func add(_ bytes: [UInt8], as version: ObjectID) {
    texts.removeAll { $0.version == version }
    texts.append((version, bytes))
    var size = texts.reduce(0) { $0 + $1.bytes.count }
    while texts.count > ServedTexts.maxCount || size > ServedTexts.maxBytes {
      size -= texts.removeFirst().bytes.count
    }
  }

  subscript(version: ObjectID) -> [UInt8]? { texts.first { $0.version == version }?.bytes }
}
