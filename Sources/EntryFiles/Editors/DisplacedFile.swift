import DiaryCore
import Glibc
import Synchronization

/// A file that a replacement has displaced. It is kept open, because an editor may still write to
/// it. It cannot be forgotten: without its last owner it discards itself.
package final class DisplacedFile: Sendable {
  /// The bytes that were replaced.
  package let original: [UInt8]
  /// The current path, for messages to the user.
  package let displayPath: String

  private let descriptor: Descriptor
  private let directory: Int32
  private let name: [CChar]
  /// True if the file was deleted, or is left for the next recovery.
  private let isFinished = Atomic(false)

  /// Takes ownership of `directory`, the folder of `name`; `AT_FDCWD` if the name is absolute.
  init(
    original: [UInt8], displayPath: [UInt8], descriptor: consuming Descriptor,
    directory: Int32, name: [CChar]
  ) {
    self.original = original
    self.displayPath = String(decoding: displayPath, as: UTF8.self)
    self.descriptor = descriptor
    self.directory = directory
    self.name = name
    // Shows the recovery of leftovers that a process has it (``JournalFolder/isAbandoned(_:for:)``).
    flock(self.descriptor.number, LOCK_SH | LOCK_NB)
  }

  deinit {
    discard()
    if directory >= 0 { close(directory) }
  }

  /// The bytes that were written after the replacement; `nil` if there are none. Call it after
  /// `settle` has passed and ``isBeingWritten`` is false.
  package func bytesWrittenAfterReplace() throws(FileError) -> [UInt8]? {
    let now = try readConsistently(
      descriptor, displayPath: displayPath, limit: JournalFolder.defaultLimit)
    return now.bytes == original ? nil : now.bytes
  }

  /// True if a program has the file open for writing.
  package var isBeingWritten: Bool {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { return false }
    let file = FileIdentity(status)
    // Names are the only part of /proc that is cheap to compare, and this name is unique to Diary.
    let last = name.dropLast().split(separator: CChar(bitPattern: UInt8(ascii: "/"))).last ?? []
    let wanted = [last.map { UInt8(bitPattern: $0) }: Set([file])]
    return !OpenFiles.scan(for: wanted, writersOnly: true).isEmpty
  }

  /// Deletes the file, unless a program has written other bytes to it than `saved`, which are in
  /// the history. A file with other bytes stays, and the next save recovers it. Returns true if no
  /// other bytes were written.
  @discardableResult
  package func discard(saved: [UInt8]? = nil) -> Bool {
    guard !isFinished.load(ordering: .relaxed) else { return true }
    guard let written = try? bytesWrittenAfterReplace() ?? original,
      written == original || written == saved
    else { return false }
    isFinished.store(true, ordering: .relaxed)
    unlinkat(directory, name, 0)
    return true
  }

  /// Leaves the file to the recovery, because a program still has it open.
  package func leave() { isFinished.store(true, ordering: .relaxed) }
}
