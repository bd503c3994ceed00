import EntryFormats
import TestSupport
import Testing

@Suite struct PhoneImportTests {
  private func read(_ text: String) throws(ImportError) -> [PhoneDiaryEntry] {
    try parsePhoneDiary(Array(text.utf8))
  }

  @Test func `reads entries in their order`() throws {
    let entries = try read(
      """
      [
        {"title": "Rain", "body": "All day.\\nAnd night.", "created_at": 1700000000},
        {"created_at": 1700000100.25, "body": "", "title": ""}
      ]

      """)
    #expect(
      entries == [
        PhoneDiaryEntry(
          title: "Rain", body: "All day.\nAnd night.", createdAt: 1_700_000_000, position: 1,
          line: 2),
        PhoneDiaryEntry(
          title: "", body: "", createdAt: 1_700_000_100, milliseconds: 250, position: 2, line: 3),
      ])
  }

  @Test func `reads an empty list, with and without a byte order mark`() throws {
    #expect(try read("[]") == [])
    #expect(try read("\u{FEFF} [ ]\r\n") == [])
  }

  @Test(arguments: [
    (#""\ud83c\udf27\ufe0f""#, "🌧️"), (#""\uD83D\uDE00 \u00e9 \uac00""#, "😀 é 가"),
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""일기 🌧""#, "일기 🌧"),
    (#""\ud83d\ude00\ud83d\ude00""#, "😀😀"),
  ])
  func `reads every escape`(_ written: String, _ meant: String) throws {
    let entries = try read(#"[{"title": \#(written), "body": \#(written), "created_at": 0}]"#)
    #expect(entries.map(\.title) == [meant])
    #expect(entries.first.map { Array($0.body.utf8) } == Array(meant.utf8))
  }

  @Test(arguments: [#"a\u0000b"#, "a" + String(repeating: #"\u0301"#, count: 31)])
  func `refuses a text that an entry cannot contain`(_ written: String) {
    for (title, body) in [(written, ""), ("", written)] {
      #expect(throws: ImportError.self) {
        try read(#"[{"title": "\#(title)", "body": "\#(body)", "created_at": 0}]"#)
      }
    }
  }

  @Test(arguments: [
    ("0", 0, 0), ("-1", -1, 0), ("-0.25", -1, 750), ("1700000000", 1_700_000_000, 0),
    ("1700000000.001", 1_700_000_000, 1), ("1700000000.9999", 1_700_000_000, 999),
    ("1.7e9", 1_700_000_000, 0), ("1.700000000123E+9", 1_700_000_000, 123),
    ("17000000001e-1", 1_700_000_000, 100), ("1700000000123", 1_700_000_000, 123),
    ("1700000000123.9", 1_700_000_000, 123), ("99999999999", 99_999_999_999, 0),
    ("100000000000", 100_000_000, 0), ("-100000000001", -100_000_001, 999),
  ])
  func `reads seconds, fractions and milliseconds`(
    _ written: String, _ seconds: Int, _ milliseconds: Int
  ) throws {
    let entry = try #require(
      try read(#"[{"title":"","body":"","created_at":\#(written)}]"#).first)
    #expect(entry.createdAt == seconds)
    #expect(entry.milliseconds == milliseconds)
  }

  @Test func `keeps unknown fields`() throws {
    let entries = try read(
      #"[{"title":"t","mood":"good","body":"b","created_at":1,"at":{"lat":37.50,"tags":[1,null,true]}}]"#
    )
    let extra = try #require(entries.first?.extra)
    #expect(extra.map(\.key) == ["mood", "at"])
    #expect(extra.map(\.value.json) == [#""good""#, #"{"lat":37.50,"tags":[1,null,true]}"#])
  }

  @Test(arguments: [
    ("", 1, 1, "expected a list, which begins with [, found the end of the file"),
    ("{}", 1, 1, #"expected a list, which begins with [, found "{""#),
    ("[\n  1]", 2, 3, #"expected an object, which begins with {, found "1""#),
    ("[{}", 1, 2, #""created_at" is missing"#),
    ("[{\"title\":\"\",\"created_at\":1}]", 1, 2, #""body" is missing"#),
    ("[\n{\"title\":\"\",\n \"title\":\"\"}]", 3, 2, #"the key "title" is given twice"#),
    (#"[{"a":1,"\u0061":1}]"#, 1, 9, #"the key "a" is given twice"#),
    (#"[{"title":5,"body":"","created_at":1}]"#, 1, 11, #""title" is a number, not a text"#),
    (#"[{"title":"","body":null,"created_at":1}]"#, 1, 21, #""body" is null, not a text"#),
    (
      #"[{"title":"","body":"","created_at":"1"}]"#, 1, 37,
      #""created_at" is a text, not a number"#
    ),
    (
      #"[{"title":"","body":"","created_at":1e30}]"#, 1, 37,
      #""created_at" is 1e30, which is not a time in seconds or milliseconds since 1970"#
    ),
    ("[] x", 1, 4, #"expected nothing after the end of the list, found "x""#),
    ("[]\n[]", 2, 1, #"expected nothing after the end of the list, found "[""#),
    ("[{},]", 1, 2, #""created_at" is missing"#),
    ("[{\"일기\" 1}]", 1, 8, #"expected a colon after the key, found "1""#),
    ("[{\"a\":1,}]", 1, 9, #"expected a key in quotes, found "}""#),
    ("[{\"a\":1 \"b\":2}]", 1, 9, #"expected a comma or } in the object, found "\"""#),
    ("[{\"a\":1", 1, 2, "the object that begins here has no end"),
    ("[{\"a\":\"x", 1, 7, "the string that begins here has no closing quote"),
    ("[{\"a\":\"x\ny\"}]", 1, 9, "a string contains an unescaped control character"),
    (#"[{"a":"\x"}]"#, 1, 8, "a string contains an escape that is not valid in JSON"),
    (#"[{"a":"\u12g4"}]"#, 1, 8, #"\u is not followed by four hexadecimal digits"#),
    (#"[{"a":"\u+123"}]"#, 1, 8, #"\u is not followed by four hexadecimal digits"#),
    (#"[{"a":"\ud83d"}]"#, 1, 8, "a string contains half of a surrogate pair"),
    (#"[{"a":"\ude00\ud83d"}]"#, 1, 8, "a string contains half of a surrogate pair"),
    (#"[{"a":"\ud83d\n"}]"#, 1, 8, "a string contains half of a surrogate pair"),
    (#"[{"a":01}]"#, 1, 7, "this is not a number"), (#"[{"a":1.}]"#, 1, 7, "this is not a number"),
    (#"[{"a":-}]"#, 1, 7, "this is not a number"), (#"[{"a":1e}]"#, 1, 7, "this is not a number"),
    (#"[{"a":NaN}]"#, 1, 7, #"expected a value, found "N""#),
    (#"[{"a":truth}]"#, 1, 7, #"expected a value, found "t""#),
    ("[{'a':1}]", 1, 3, #"expected a key in quotes, found "'""#),
  ])
  func `reports the position of malformed input`(
    _ text: String, _ line: Int, _ column: Int, _ reason: String
  ) throws {
    let error = #expect(throws: ImportError.self) { try read(text) }
    #expect(error?.line == line)
    #expect(error?.column == column)
    #expect(error?.reason == reason)
  }

  @Test func `names the invalid entry`() throws {
    let error = #expect(throws: ImportError.self) {
      try read("[{\"title\":\"\",\"body\":\"\",\"created_at\":1},\n{\"title\":\"\",\"body\":\"\"}]")
    }
    #expect(error?.description == #"line 2, column 1, entry 2: "created_at" is missing"#)
  }

  @Test func `refuses text that is not UTF-8, with the position`() throws {
    let broken = #expect(throws: ImportError.self) {
      try parsePhoneDiary(Array("[\n\"가".utf8) + [0xFF, 0x22, 0x5D])
    }
    #expect(broken?.description == "line 2, column 3: the text is not UTF-8")
    let cut = #expect(throws: ImportError.self) {
      try parsePhoneDiary(Array("[\"가".utf8.dropLast()))
    }
    #expect(cut?.description == "line 1, column 3: the text is not UTF-8")
    let wide = #expect(throws: ImportError.self) {
      try parsePhoneDiary([0xFF, 0xFE, 0x5B, 0])
    }
    #expect(wide?.reason == "the file is UTF-16, not UTF-8")
  }

  @Test func `refuses deeply nested input`() throws {
    let deep = #expect(throws: ImportError.self) {
      try read(#"[{"a":"# + String(repeating: "[", count: 100_000))
    }
    #expect(deep?.reason == "lists and objects are nested more than 256 deep")
  }

  @Test(arguments: 1...3)
  func `neither crashes nor hangs on random bytes`(_ part: Int) throws {
    let whole = Array(
      #"[{"title":"가\ud83d\ude00","body":"b","created_at":1.5e9,"x":[true,{"y":null}]}]"#.utf8)
    var dice = SeededGenerator(part: part)
    func roll(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &dice) }
    for round in 0..<3000 {
      var bytes = whole
      for _ in 0...roll(3) {
        let place = roll(bytes.count)
        switch roll(3) {
        case 0: bytes[place] = UInt8(roll(256))
        case 1: bytes.remove(at: place)
        default: bytes.insert(whole[roll(whole.count)], at: place)
        }
      }
      do throws(ImportError) {
        let entries = try parsePhoneDiary(bytes)
        #expect(entries.count <= 1, "\(dice), round \(round)")
      } catch {
        #expect(error.line >= 1 && error.column >= 1, "\(dice), round \(round)")
        #expect(error.column <= bytes.count + 1, "\(dice), round \(round)")
      }
    }
  }

  @Test func `reads many entries with their lines in linear time`() throws {
    func export(_ count: Int) -> String {
      let entry = #"{"title":"t","body":"\#(String(repeating: "x", count: 200))","created_at":1}"#
      return "[\n" + Array(repeating: entry, count: count).joined(separator: ",\n") + "\n]"
    }
    let ratio = try growth(from: 500, of: export) { text in
      let entries = try read(text)
      #expect(entries.map(\.line) == Array(2...(entries.count + 1)))
    }
    #expect(ratio < 24)
    #expect(try read(export(4000)).count == 4000)
  }
}
