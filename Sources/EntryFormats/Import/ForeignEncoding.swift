import DiaryCore
import Foundation
import Glibc
import Localization

/// Why a file's bytes are no text.
package enum EncodingError: Error, Sendable, Equatable {
  /// It is not UTF-8 and has no mark: the user must say which encoding it has.
  case unknown(line: Int)
  /// The bytes do not exist in the encoding that was named.
  case invalid(name: String)
  /// The encoding is not known on this machine.
  case unsupported(name: String)
}

/// A text file's bytes as UTF-8: UTF-8 stays as it is, UTF-16 is told by its mark, anything else is
/// read in the encoding that the user has named. Never guessed: any bytes are Latin-1.
package func decodedText(_ bytes: [UInt8], encoding: String?) throws(EncodingError) -> [UInt8] {
  if bytes.starts(with: [0xFF, 0xFE]) {
    return try converted(bytes, from: "UTF-16LE", dropping: 2)
  }
  if bytes.starts(with: [0xFE, 0xFF]) {
    return try converted(bytes, from: "UTF-16BE", dropping: 2)
  }
  if String(validating: bytes, as: UTF8.self) != nil { return bytes }
  guard let encoding else {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var line = 1
    while case .scalarValue(let scalar) = decoder.decode(&iterator) {
      if scalar == "\n" { line += 1 }
    }
    throw .unknown(line: line)
  }
  return try converted(bytes, from: iconvName(encoding), dropping: 0)
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

private func converted(
  _ bytes: [UInt8], from encoding: String, dropping count: Int
) throws(EncodingError) -> [UInt8] {
  // The conversion's own error value.
  let none = iconv_t(bitPattern: -1)
  let isName = encoding.utf8.allSatisfy { $0.isDigit || $0.isLetter || "-_.:".utf8.contains($0) }
  guard isName, let converter = iconv_open("UTF-8", encoding), converter != none else {
    throw .unsupported(name: encoding)
  }
  defer { iconv_close(converter) }
  var input = bytes.dropFirst(count).map { CChar(bitPattern: $0) }
  var output = [CChar](repeating: 0, count: input.count * 4 + 16)
  var (rest, room) = (input.count, output.count)
  let failed = input.withUnsafeMutableBufferPointer { input in
    output.withUnsafeMutableBufferPointer { output in
      var (from, to) = (input.baseAddress, output.baseAddress)
      return iconv(converter, &from, &rest, &to, &room) == .max
    }
  }
  guard !failed, rest == 0 else { throw .invalid(name: encoding) }
  return output[..<(output.count - room)].map { UInt8(bitPattern: $0) }
}

/// The beginning of a file for a look at its format: what is no UTF-8 becomes a replacement sign.
func decodedBeginning(_ bytes: [UInt8]) -> String {
  if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
    let even = Array(bytes.prefix(bytes.count & ~1))
    return ((try? decodedText(even, encoding: nil)).map { String(decoding: $0, as: UTF8.self) })
      ?? ""
  }
  let plain = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
  return String(decoding: plain, as: UTF8.self)
}
