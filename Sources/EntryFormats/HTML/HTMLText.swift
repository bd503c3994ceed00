import DiaryCore

/// Returns text for use between tags and in quoted attributes. Markup is escaped, and invisible
/// characters that affect a reader (control characters, bidirectional controls) are shown.
package func htmlText(_ text: String) -> String { escapedHTML(terminalText(text)) }

/// Returns the text with only its markup escaped, for a field that sends the text back.
package func escapedHTML(_ text: String) -> String {
  guard text.utf8.contains(where: { "&<>\"'".utf8.contains($0) }) else { return text }
  var escaped: [UInt8] = []
  escaped.reserveCapacity(text.utf8.count + 32)
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "&"): escaped += "&amp;".utf8
    case UInt8(ascii: "<"): escaped += "&lt;".utf8
    case UInt8(ascii: ">"): escaped += "&gt;".utf8
    case UInt8(ascii: "\""): escaped += "&quot;".utf8
    case UInt8(ascii: "'"): escaped += "&#39;".utf8
    default: escaped.append(byte)
    }
  }
  return String(decoding: escaped, as: UTF8.self)
}
