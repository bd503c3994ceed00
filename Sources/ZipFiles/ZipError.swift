import Localization

/// An error of a zip archive or one of its items.
package struct ZipError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The cause of the error.
  package enum Reason: Sendable, Equatable {
    /// The file is not a zip archive.
    case noArchive
    /// The name refers to a path outside of the archive, is absolute, empty, or used twice.
    case unsafeName
    /// The item is a symbolic link or another type that is neither a file nor a folder.
    case notRegular
    /// The item is encrypted.
    case encrypted
    /// The unpacked size exceeds a limit, which the clause names.
    case tooLarge(String)
    /// An error of libzip, such as `CRC error`.
    case library(String)
  }

  /// The cause.
  package let reason: Reason
  /// The name of the item in the archive; `nil` for the whole archive.
  package let item: String?

  package init(reason: Reason, item: String?) {
    self.reason = reason
    self.item = item
  }

  /// One sentence. The caller adds the archive's name.
  package var description: String {
    guard let item else { return clause }
    return localized("item \"\(item)\": \(clause)")
  }

  private var clause: String {
    switch reason {
    case .noArchive: localized("it is not a zip archive, or it is damaged")
    case .unsafeName:
      localized("its name is unsafe (it is outside the archive, or used twice)")
    case .notRegular: localized("it is a link or a special file, not an ordinary one")
    case .encrypted: localized("it is encrypted; unpack the archive with its password first")
    case .tooLarge(let limit): localized("its unpacked size is too large: \(limit)")
    case .library(let text): text
    }
  }
}
