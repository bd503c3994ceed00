import Testing

@testable import EntryFormats

/// Texts that are not UTF-8, read with right and wrong encoding names.
@Suite struct EncodingTests {
  private static let head = Array("[2025-01-01 09:00] A\n".utf8)
  /// `두리`, in EUC-KR.
  private static let korean = head + [0xB5, 0xCE, 0xB8, 0xAE, 0x0A]
  /// `日本` and a half-width `ｱ`, in Shift-JIS.
  private static let japanese = head + [0x93, 0xFA, 0x96, 0x7B, 0xB1, 0x0A]
  /// `café`, in Latin-1.
  private static let french = head + Array("caf".utf8) + [0xE9, 0x0A]

  private func text(_ bytes: [UInt8], _ encoding: String?) throws -> String {
    String(decoding: try decodedText(bytes, encoding: encoding), as: UTF8.self)
  }

  @Test func `a text in the named encoding is read`() throws {
    #expect(try text(Self.korean, "EUC-KR").hasSuffix("A\n두리\n"))
    #expect(try text(Self.japanese, "Shift_JIS").hasSuffix("A\n日本ｱ\n"))
    #expect(try text(Self.french, "latin-1").hasSuffix("A\ncafé\n"))
  }

  @Test(arguments: [
    (korean, "UTF-8"), (japanese, "EUC-KR"), (french, "EUC-KR"), (french, "shift-jis"),
    (korean + [0xB5], "EUC-KR"), (head + [0x82], "shift-jis"), (head + [0x81], "latin-1"),
  ])
  func `bytes that are invalid in the named encoding are an error with their line`(
    _ bytes: [UInt8], _ name: String
  ) {
    let line = bytes == Self.korean + [0xB5] ? 3 : 2
    #expect(throws: TextEncodingError.invalid(name: name, line: line)) {
      try decodedText(bytes, encoding: name)
    }
  }

  @Test func `a text of unknown encoding is an error with its line`() {
    #expect(throws: TextEncodingError.unknown(line: 2)) {
      try decodedText(Self.japanese, encoding: nil)
    }
  }

  @Test func `a text of ASCII bytes is read in the named encoding`() throws {
    let escaped: [UInt8] = [0x1B, 0x24, 0x42, 0x46, 0x7C, 0x1B, 0x28, 0x42]
    #expect(try text(escaped, "ISO-2022-JP") == "日")
    #expect(try text([0x41, 0x00, 0x42, 0x00], "UTF-16LE") == "AB")
    #expect(try text(Array("두리".utf8), "EUC-KR") == "두리")
  }

  @Test func `a last character that could combine with another is read`() throws {
    #expect(try text([0xA4, 0xAB], "EUC-JISX0213") == "か")
  }

  @Test func `truncated UTF-16 is an error with any encoding name`() {
    for name in [nil, "latin-1"] {
      #expect(throws: TextEncodingError.invalidUTF16(line: 2)) {
        try decodedText([0xFF, 0xFE, 0x41, 0x00, 0x0A, 0x00, 0x42], encoding: name)
      }
    }
  }

  @Test func `an unknown or lossy encoding is unsupported`() {
    for name in ["", "ASCII//IGNORE", "nonsense"] {
      #expect(throws: TextEncodingError.unsupported(name: name)) {
        try decodedText(Self.french, encoding: name)
      }
    }
  }

  @Test func `a line is shown in each encoding that can decode it`() {
    let shown = encodingSamples(ofLine: 2, in: Self.korean)
    #expect(shown.map(\.encoding) == ["latin-1", "euc-kr", "shift-jis"])
    #expect(shown.map(\.text) == ["µÎ¸®", "두리", "ｵﾎｸｮ"])
    #expect(encodingSamples(ofLine: 2, in: Self.french).map(\.text) == ["café"])
    #expect(encodingSamples(ofLine: 9, in: Self.french).isEmpty)
  }
}
