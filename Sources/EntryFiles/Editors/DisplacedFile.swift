import DiaryCore
import Glibc

/// What came out of a replacement: the file that stood there, without its name but with its
/// content, for an editor may still be writing into it.
package final class DisplacedFile: Sendable {
  /// The bytes that were replaced.
  package let original: [UInt8]
  /// Where it lies now, for a message to the writer.
  package let displayPath: String

  private let descriptor: Descriptor
  private let directory: Int32
  private let name: [CChar]

  /// `holder` is the folder of `name`, owned from now on; `AT_FDCWD` where the name is absolute.
  init(
    original: [UInt8], displayPath: [UInt8], descriptor: consuming Descriptor,
    directory: Int32, name: [CChar]
  ) {
    self.original = original
    self.displayPath = String(decoding: displayPath, as: UTF8.self)
    self.descriptor = descriptor
    self.directory = directory
    self.name = name
  }

  deinit { if directory >= 0 { close(directory) } }

  /// The bytes that arrived after the replacement; `nil` when none did. To be asked once `settle`
  /// has passed and ``isBeingWritten`` is false.
  package func bytesWrittenAfterReplace() throws(FileError) -> [UInt8]? {
    let now = try readConsistently(
      descriptor, displayPath: displayPath, limit: JournalFolder.defaultLimit)
    return now.bytes == original ? nil : now.bytes
  }

  /// Whether a program has it open for writing.
  package var isBeingWritten: Bool {
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { return false }
    let file = FileIdentity(status)
    // The name is the one part of /proc that is cheap to compare, and it is ours.
    let last = name.dropLast().split(separator: CChar(bitPattern: UInt8(ascii: "/"))).last ?? []
    let wanted = [last.map { UInt8(bitPattern: $0) }: Set([file])]
    return !OpenFiles.scan(for: wanted, writersOnly: true).isEmpty
  }

  /// Takes it away for good.
  package func discard() {
    unlinkat(directory, name, 0)
  }
}
