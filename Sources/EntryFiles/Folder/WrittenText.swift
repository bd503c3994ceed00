import DiaryCore
import Synchronization

/// A text that this process wrote to a file, until a save takes it. It tells Diary's own writes from
/// those of an editor by their bytes.
package struct WrittenText: Sendable {
  /// The path at which the text was written. The file may have moved since.
  package let origin: EntryPath
  /// The bytes that it replaced; `nil` for a new file.
  package let replaced: [UInt8]?
  private let hash: Int

  fileprivate init(_ bytes: [UInt8], at origin: EntryPath, replacing replaced: [UInt8]?) {
    (self.origin, self.replaced, hash) = (origin, replaced, bytes.hashValue)
  }

  /// True if these are the written bytes.
  package func matches(_ bytes: [UInt8]) -> Bool { bytes.hashValue == hash }
}

extension JournalFolder {
  /// Returns and forgets the text that was written at the path.
  package func takeWrittenText(at path: EntryPath) -> WrittenText? {
    writtenTexts.withLock { $0.removeValue(forKey: path) }
  }

  /// Records a write. After several writes without a save, the first one's replaced bytes count.
  func recordWrite(_ bytes: [UInt8], at path: EntryPath, replacing replaced: [UInt8]? = nil) {
    writtenTexts.withLock { texts in
      if let replaced, let before = texts[path], before.matches(replaced) {
        texts[path] = WrittenText(bytes, at: before.origin, replacing: before.replaced)
      } else {
        texts[path] = WrittenText(bytes, at: path, replacing: replaced)
      }
    }
  }

  /// Records a move, which writes the file's own bytes at the new path.
  func recordMove(_ path: EntryPath, to target: EntryPath) {
    let bytes = (try? read(target))?.bytes
    writtenTexts.withLock { texts in
      texts[target] =
        texts.removeValue(forKey: path)
        ?? bytes.map { WrittenText($0, at: path, replacing: $0) }
    }
  }
}
