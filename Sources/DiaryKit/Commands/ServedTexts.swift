import DiaryCore
import GitHistory

/// What this process has given to pages and cannot be had otherwise. It may be lost at any time: a
/// save then goes on from what git has.
struct ServedTexts: Sendable {
  /// How many texts, and how many bytes in all, are remembered.
  static let (maxCount, maxBytes) = (64, 16 << 20)

  private var texts: [(version: ObjectID, bytes: [UInt8])] = []
  /// Entries that were begun on a page and not left since.
  var drafts: Set<EntryPath> = []

  /// Remembers a text, and forgets the oldest of too many.
  mutating func add(_ bytes: [UInt8], as version: ObjectID) {
    texts.removeAll { $0.version == version }
    texts.append((version, bytes))
    var size = texts.reduce(0) { $0 + $1.bytes.count }
    while texts.count > ServedTexts.maxCount || size > ServedTexts.maxBytes {
      size -= texts.removeFirst().bytes.count
    }
  }

  /// The text of a version.
  subscript(version: ObjectID) -> [UInt8]? { texts.first { $0.version == version }?.bytes }
}
