import DiaryCore
import Foundation
import Glibc
import Localization

/// Why a file's bytes are no text.
package enum TextEncodingError: Error, Sendable, Equatable {
  /// It is not UTF-8 and has no mark: the user must say which encoding it has.
  case unknown(line: Int)
  /// The bytes of this line do not exist in the encoding that was named.
  case invalid(name: String, line: Int)
  /// Its mark says UTF-16, and this line is none.
  case invalidUTF16(line: Int)
  /// The encoding is not known on this machine.
  case unsupported(name: String)

  /// The line that is concerned, 1 for the first.
  package var line: Int? {
    switch self {
    case .unknown(let line), .invalid(_, let line), .invalidUTF16(let line): line
    case .unsupported: nil
    }
  }
}

/// A text file's bytes as UTF-8: UTF-8 stays as it is, UTF-16 is told by its mark, anything else is
/// read in the encoding that the user has named. Never guessed: any bytes are Latin-1.
package func decodedText(_ bytes: [UInt8], encoding: String?) throws(TextEncodingError) -> [UInt8] {
  if let marked = byteOrderMarkEncoding(bytes) {
    let (text, line) = try convert(bytes.dropFirst(2), from: marked)
    if let line { throw .invalidUTF16(line: line) }
    return text
  }
  // In some encodings every byte is ASCII, too; their texts have NULs or escapes.
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

/// Which UTF-16 a text's mark tells.
private func byteOrderMarkEncoding(_ bytes: [UInt8]) -> String? {
  if bytes.starts(with: [0xFF, 0xFE]) { return "UTF-16LE" }
  return bytes.starts(with: [0xFE, 0xFF]) ? "UTF-16BE" : nil
}

/// A line, 1 for the first, as each of the usual encodings has it, for a person to say which it is.
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

/// The name that iconv knows; supersets stand for the encodings that programs really write.
private func iconvName(_ name: String) -> String {
  switch name.lowercased().replacing("_", with: "-") {
  case "latin-1", "latin1", "iso-8859-1", "windows-1252", "cp1252": "WINDOWS-1252"
  case "euc-kr", "euckr", "cp949", "uhc": "CP949"
  case "shift-jis", "sjis", "shiftjis", "cp932": "CP932"
  default: name
  }
}

/// The text, and the line in which bytes do not exist in the encoding; the text ends there.
private func convert(
  _ bytes: ArraySlice<UInt8>, from encoding: String
) throws(TextEncodingError) -> (text: [UInt8], brokenLine: Int?) {
  // The conversion's own error value.
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
      // The second call gives what waits for a sign that could have followed.
      return iconv(converter, &from, &remainingInput, &to, &remainingOutput) == .max
        || iconv(converter, nil, nil, &to, &remainingOutput) == .max
    }
  }
  let text = output[..<(output.count - remainingOutput)].map { UInt8(bitPattern: $0) }
  return (text, failed || remainingInput > 0 ? 1 + text.count { $0 == 0x0A } : nil)
}

/// The beginning of a file for a look at its format: what is no UTF-8 becomes a replacement sign.
func decodedBeginning(_ bytes: [UInt8]) -> String {
  if let marked = byteOrderMarkEncoding(bytes) {
    let text = (try? convert(bytes.dropFirst(2), from: marked))?.text ?? []
    return String(decoding: text, as: UTF8.self)
  }
  let plain = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  return String(decoding: plain, as: UTF8.self)
}
