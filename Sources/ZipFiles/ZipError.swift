import Localization

/// Why a zip archive, or one of its items, cannot be read or written.
package struct ZipError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What stands in the way.
  package enum Reason: Sendable, Equatable {
    /// The file is no zip archive.
    case noArchive
    /// The name leads out of the archive's folder, is absolute, empty, or given twice.
    case unsafeName
    /// The item is a symbolic link or another thing that is neither a file nor a folder.
    case notRegular
    /// The item is encrypted.
    case encrypted
    /// Unpacked, it is larger than a limit; the clause says which.
    case tooLarge(String)
    /// libzip says so, such as `CRC error`.
    case library(String)
  }

  /// What is in the way.
  package let reason: Reason
  /// The item concerned, as the archive names it; `nil` for the archive as a whole.
  package let item: String?

  /// An error from its facts.
  package init(reason: Reason, item: String?) {
    self.reason = reason
    self.item = item
  }

  /// One sentence; the caller names the archive.
  package var description: String {
    guard let item else { return clause }
    return localized("item \"\(item)\": \(clause)")
  }

  private var clause: String {
    switch reason {
    case .noArchive: localized("it is not a zip archive, or a broken one")
    case .unsafeName:
      localized("its name is unsafe (it leads out of the archive, or stands there twice)")
    case .notRegular: localized("it is a link or a special file, not an ordinary one")
    case .encrypted: localized("it is encrypted; unpack the archive with its password first")
    case .tooLarge(let limit): localized("unpacked it is too large: \(limit)")
    case .library(let text): text
    }
  }
}
