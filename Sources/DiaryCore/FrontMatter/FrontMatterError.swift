import Localization

/// The reason a field was not written. The text is unchanged.
package enum FrontMatterError: Error, Sendable, Hashable {
  /// The text has another encoding or contains undecodable bytes.
  case notUTF8
  /// The header is TOML or JSON, which is never rewritten.
  case foreignHeader(HeaderKind)
  /// The text starts like a header that cannot be read.
  case unreadableHeader
  /// The name is not a valid key.
  case unusableKey(String)
  /// A strict parser that could read the header before would read other fields differently.
  case wouldChangeOthers(String)
  /// The field has a mapping or nested lists, which a text or list would replace.
  case compoundValue(String)
}

extension FrontMatterError: CustomStringConvertible {
  /// One sentence without the file's name, which the caller adds.
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
    case .compoundValue(let key):
      localized(
        "\"\(key)\" in the header is not a simple value or list, so Diary does not change it")
    }
  }
}
