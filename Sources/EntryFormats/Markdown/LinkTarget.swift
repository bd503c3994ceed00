import DiaryCore

/// The target of a link in an exported page.
enum LinkTarget: Equatable {
  /// A web or mail address, safe in an attribute after escaping.
  case address(String)
  /// A file beside the entry, which a reader of the page does not have.
  case file(String)
  /// Any other target: code, data, or a program's own scheme.
  case refused

  init(_ destination: String) {
    let text = destination.unicodeScalars.drop { $0.value <= 0x20 }
    // Browsers ignore blanks and line ends inside a scheme. A colon after anything but a plain
    // scheme is therefore refused.
    let before = text.prefix { !"/?#:".unicodeScalars.contains($0) }
    guard before.endIndex < text.endIndex, text[before.endIndex] == ":" else {
      let isOtherHost = text.starts(with: "//".unicodeScalars)
      self = text.isEmpty || isOtherHost || text.first == "#" ? .refused : .file(destination)
      return
    }
    let scheme = String(String.UnicodeScalarView(before)).lowercased()
    guard ["http", "https", "mailto"].contains(scheme) else {
      self = .refused
      return
    }
    self = .address(LinkTarget.escaped(String(String.UnicodeScalarView(text))))
  }

  /// Returns the URL with every byte outside of a URL's alphabet as `%XX`. Existing escapes stay.
  private static func escaped(_ url: String) -> String {
    let encoded = percentEncoded(url.utf8) {
      $0.isDigit || $0.isLetter || "-_.+!*'(),%#@?=;:/&$~[]".utf8.contains($0)
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
