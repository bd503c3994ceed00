import DiaryCore
import Foundation
import Testing

@testable import EntryFormats

@Suite struct CSVExportTests {
  @Test func `an entry is a row of its fields`() throws {
    let file =
      "---\ntitle: Rain, and \"snow\"\ndate: 2026-11-21T21:04:00+09:00\nweather: Snow, -2.5°C\n"
      + "tags: [a, b]\nplace: 서울\n---\nTwo words\n"
    #expect(
      CSVExport.row(of: try whole(file))
        == "2026-11-21,21:04,+09:00,2026-11-21,\"Rain, and \"\"snow\"\"\",\"Snow, -2.5°C\",Snow,-2.5,서울,"
        + "\"a, b\",2,0,2026/11/2026-11-21-walk.md\r\n")
    let columns = CSVExport.header.split(separator: ",").count
    let undated = CSVExport.row(of: try whole("Words", path: "a.md"))
    #expect(undated == ",,,,Words,,,,,,1,0,a.md\r\n")
    #expect(undated.split(separator: ",", omittingEmptySubsequences: false).count == columns)
  }

  @Test(arguments: ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "＝1"])
  func `a formula is written as text`(_ formula: String) {
    #expect(CSVExport.cell(formula).trimmingCharacters(in: ["\""]).hasPrefix("'"))
  }

  @Test(arguments: [" padded", "two\nlines", "a,b", "a\rb"])
  func `a text that would break a row is quoted`(_ text: String) {
    #expect(CSVExport.cell(text) == "\"" + text + "\"")
  }
}
