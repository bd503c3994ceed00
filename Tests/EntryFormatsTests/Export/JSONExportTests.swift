import DiaryCore
import EntryFormats
import Foundation
import Testing

@Suite struct JSONExportTests {
  private func object(_ bytes: [UInt8]) throws -> [String: Any] {
    let entry = try JSONExport.entryStart(of: try whole(bytes), isLine: true)
    let data = Data(entry + Array("]}".utf8))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  @Test(arguments: [
    "---\r\ntitle: \"A: walk\"   # why\r\nMood: [good, 좋음]\r\n---\r\n\r\nIt rained.\r\n", "Words",
    "", "\u{FEFF}---\ntitle: T\n---\n", "---\ntitle: no end\n", "+++\ntitle = \"T\"\n+++\nx\n",
    "---\na: 1\nA: 2\nweather: {condition: Rain, temperature: 7}\nempty:\n---\n👨‍👩‍👧‍👦 e\u{301}",
  ])
  func `header and body together are the file, byte for byte`(_ file: String) throws {
    struct Form: Decodable {
      let diary: Int
      let header: String
      let body: String
      let bytes: Data?
    }
    let entry = try JSONExport.entryStart(of: try whole(file), isLine: true)
    let form = try JSONDecoder().decode(Form.self, from: Data(entry + Array("]}".utf8)))
    #expect(Array((form.header + form.body).utf8) == Array(file.utf8))
    #expect(form.bytes == nil)
    #expect(form.diary == JSONExport.version)
  }

  @Test func `a file that is not UTF-8 is exported with its bytes`() throws {
    for bytes: [UInt8] in [
      [0xFF, 0xFE, 0x41, 0x00], [0x63, 0x61, 0x66, 0xE9, 0x0A], [0x80, 0xFE, 0xFF],
    ] {
      let object = try object(bytes)
      let text = try #require(object["bytes"] as? String)
      let data = try #require(Data(base64Encoded: text))
      #expect(Array(data) == bytes)
    }
  }

  @Test func `every key of the header is a field`() throws {
    let file =
      "---\ntitle: T\nMood: [good, 좋음]\nweather: {condition: Rain, temperature: 7}\nempty:\n"
      + "mood: bad\nsource: x/1\n---\nBody"
    let fields = try #require(try object(Array(file.utf8))["fields"] as? [String: Any])
    #expect(Set(fields.keys) == ["title", "Mood", "weather", "empty", "source"])
    #expect(fields["Mood"] as? [String] == ["good", "좋음"])
    #expect(fields["weather"] as? [String: String] == ["condition": "Rain", "temperature": "7"])
    #expect(fields["empty"] is NSNull)
  }
}
