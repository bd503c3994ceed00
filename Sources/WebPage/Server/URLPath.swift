import DiaryCore

extension EntryPath {
  /// The file of a percent-encoded address. `nil` for paths that the page never serves: hidden
  /// names, NUL, an encoded `/`, more than 4096 bytes.
  init?(urlPath encoded: Substring) {
    guard encoded.utf8.count <= 4_096, !encoded.lowercased().contains("%2f"),
      let bytes = percentDecoded(encoded), let path = EntryPath(bytes: bytes), !path.isHidden
    else { return nil }
    self = path
  }

  /// The path for an address of the page. Letters stay readable; browsers encode them.
  var urlPath: String {
    let isLetters =
      isText
      && text.unicodeScalars.allSatisfy {
        $0.isASCII || $0.properties.isAlphabetic
      }
    let encoded = DiaryCore.percentEncoded(bytes) { byte in
      byte > 0x7F
        ? isLetters
        : "-_.~/".utf8.contains(byte) || Character(UnicodeScalar(byte)).isLetter
          || Character(UnicodeScalar(byte)).isNumber
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}

/// The decoded value of a query field; `nil` if it is missing or not valid text.
func queryValue(_ name: String, in query: String) -> String? {
  guard let field = queryField(name, in: query) else { return nil }
  let value = field.replacing("+", with: " ")
  return percentDecoded(value).flatMap { String(validating: $0, as: UTF8.self) }
}

/// The percent-encoded value of a query field; `nil` if it is missing.
func queryField(_ name: String, in query: String) -> Substring? {
  query.split(separator: "&").first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
}
