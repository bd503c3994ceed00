import Localization

/// Why a field was not written; the text is as it was.
package enum FrontMatterError: Error, Sendable, Hashable {
  /// The text is in another encoding, or holds bytes that are no text.
  case notUTF8
  /// A TOML or JSON header, which is read but never rewritten.
  case foreignHeader(HeaderKind)
  /// The text begins like a header but none can be read.
  case unreadableHeader
  /// The name cannot be a key.
  case unusableKey(String)
  /// A strict reader, which could read the header before, would have read other fields differently.
  case wouldChangeOthers(String)
}

extension FrontMatterError: CustomStringConvertible {
  /// One sentence without the file's name, which the caller knows.
  package var description: String {
    switch self {
    case .notUTF8: localized("the text is not UTF-8, so Diary does not change it")
    case .foreignHeader(.toml):
      localized("the header is TOML, which Diary reads but never rewrites")
    case .foreignHeader: localized("the header is JSON, which Diary reads but never rewrites")
    case .unreadableHeader: localized("the text begins like a header that cannot be read")
    case .unusableKey(let key): localized("\"\(key)\" cannot be a key of a header")
    case .wouldChangeOthers(let key):
      localized("writing \"\(key)\" would change how other fields of the header are read")
    }
  }
}
