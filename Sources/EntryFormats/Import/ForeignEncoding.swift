import DiaryCore
import Foundation
import Glibc
import Localization

/// An error that makes a file's bytes unreadable as text.
package enum TextEncodingError: Error, Sendable, Equatable {
  /// It is not UTF-8 and has no byte order mark: the user must name the encoding.
  case unknown(line: Int)
  /// The bytes of this line are not valid in the encoding that the user named.
  case invalid(name: String, line: Int)
  /// It has a byte order mark of UTF-16, but this line is invalid.
  case invalidUTF16(line: Int)
  /// The encoding is not supported on this machine.
  case unsupported(name: String)

  /// The line of the error, from 1.
  package var line: Int? {
    switch self {
    case .unknown(let line), .invalid(_, let line), .invalidUTF16(let line): line
    case .unsupported: nil
    }
  }
}

/// Returns the bytes of a text file as UTF-8. UTF-16 is detected by its byte order mark, and other
/// bytes are decoded in the user's encoding. There is no guess, as any bytes are valid Latin-1.
package func decodedText(_ bytes: [UInt8], encoding: String?) throws(TextEncodingError) -> [UInt8] {
  if let marked = byteOrderMarkEncoding(bytes) {
    let (text, line) = try convert(bytes.dropFirst(2), from: marked)
    if let line { throw .invalidUTF16(line: line) }
    return text
  }
  // In some encodings every byte is also ASCII; their texts contain NULs or escapes.
  let isPlain = encoding == nil || !bytes.contains { $0 == 0 || $0 == 0x1B }
  if isPlain, String(validating: bytes, as: UTF8.self) != nil { return bytes }
  guard let encoding else {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var line = 1
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      if scalar == "\n" { line += 1 }
    }
    throw .unknown(line: line)
  }
  let (text, line) = try convert(bytes[...], from: encoding)
  if let line { throw .invalid(name: encoding, line: line) }
  return text
}

/// Returns the UTF-16 encoding of a text's byte order mark.
private func byteOrderMarkEncoding(_ bytes: [UInt8]) -> String? {
  if bytes.starts(with: [0xFF, 0xFE]) { return "UTF-16LE" }
  return bytes.starts(with: [0xFE, 0xFF]) ? "UTF-16BE" : nil
}

/// Returns a line, counted from 1, in each of the usual encodings, for the user to choose.
package func encodingSamples(
  ofLine number: Int, in bytes: [UInt8]
) -> [(encoding: String, text: String)] {
  let lines = bytes.split(separator: 0x0A, maxSplits: number, omittingEmptySubsequences: false)
  guard lines.indices.contains(number - 1) else { return [] }
  let line = Array(lines[number - 1])
  return ["latin-1", "euc-kr", "shift-jis"].compactMap { name in
    guard let text = try? decodedText(line, encoding: name) else { return nil }
    return (name, terminalLine(String(String(decoding: text, as: UTF8.self).prefix(60))))
  }
}

/// Returns iconv's name. Supersets replace encodings, because programs write the supersets.
private func iconvName(_ name: String) -> String {
  switch name.lowercased().replacing("_", with: "-") {
  case "latin-1", "latin1", "iso-8859-1", "windows-1252", "cp1252": "WINDOWS-1252"
  case "euc-kr", "euckr", "cp949", "uhc": "CP949"
  case "shift-jis", "sjis", "shiftjis", "cp932": "CP932"
  default: name
  }
}

/// Returns the text, and the line of the first invalid bytes. The text ends there.
private func convert(
  _ bytes: ArraySlice<UInt8>, from encoding: String
) throws(TextEncodingError) -> (text: [UInt8], brokenLine: Int?) {
  // The error value of iconv_open(3).
  let errorValue = iconv_t(bitPattern: -1)
  let isName =
    !encoding.isEmpty
    && encoding.utf8.allSatisfy { $0.isDigit || $0.isLetter || "-_.:".utf8.contains($0) }
  guard isName, let converter = iconv_open("UTF-8", iconvName(encoding)), converter != errorValue
  else {
    throw .unsupported(name: encoding)
  }
  defer { iconv_close(converter) }
  var input = bytes.map { CChar(bitPattern: $0) }
  var output = [CChar](repeating: 0, count: input.count * 4 + 16)
  var (remainingInput, remainingOutput) = (input.count, output.count)
  let failed = input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      var (from, to) = (input.baseAddress, output.baseAddress)
      // The second call writes a character that iconv holds back for a possible combination.
      return iconv(converter, &from, &remainingInput, &to, &remainingOutput) == .max
        || iconv(converter, nil, nil, &to, &remainingOutput) == .max
    }
  }
  let text = output[..<(output.count - remainingOutput)].map { UInt8(bitPattern: $0) }
  return (text, failed || remainingInput > 0 ? 1 + text.count { $0 == 0x0A } : nil)
}

/// Returns the start of a file as text for format detection. Invalid bytes are replaced.
func decodedBeginning(_ bytes: [UInt8]) -> String {
  if let marked = byteOrderMarkEncoding(bytes) {
    let text = (try? convert(bytes.dropFirst(2), from: marked))?.text ?? []
    return String(decoding: text, as: UTF8.self)
  }
  let plain = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  return String(decoding: plain, as: UTF8.self)
}
