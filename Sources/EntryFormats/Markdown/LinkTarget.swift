import DiaryCore

/// Where a link may lead in a page that is handed on.
enum LinkTarget: Equatable {
  /// To the web or to a mailbox: safe in an attribute, once it is escaped.
  case address(String)
  /// To a file beside the entry, which the reader of the page does not have.
  case file(String)
  /// Anything else: code, data, or a program's own scheme.
  case refused

  init(_ destination: String) {
    let text = destination.unicodeScalars.drop { $0.value <= 0x20 }
    // Browsers skip blanks and line ends inside a scheme; a colon after anything but a plain scheme
    // is therefore not looked at more closely.
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

  /// Every byte that is no part of a URL's own alphabet as `%XX`; what is escaped already stays.
  private static func escaped(_ url: String) -> String {
    let encoded = percentEncoded(url.utf8) {
      $0.isDigit || $0.isLetter || "-_.+!*'(),%#@?=;:/&$~[]".utf8.contains($0)
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
