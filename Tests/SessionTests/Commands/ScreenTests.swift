import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import diary

/// The output on screens of different widths.
@Suite(.serialized) struct ScreenTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.diary("init", "j")
  }

  @Test func `init succeeds even if the place cannot be found`() async throws {
    let terminal = try await Terminal(home, in: "")
    try await terminal.enter("DIARY_WEATHER__URL=http://127.0.0.1:1 diary init k; echo code $?")
    #expect(try await terminal.shows("uses in any folder? [Y/n]"))
    try await terminal.enter("n")
    #expect(try await terminal.shows("Where are you?"))
    try await terminal.enter("Nowhere")
    #expect(try await terminal.shows("code 0"))
    let screen = try await terminal.screen()
    #expect(screen.contains("diary weather on PLACE"), "\(screen)")
    #expect(screen.contains("hint: is this device online?"), "\(screen)")
    #expect(!screen.contains(" sk\n"), "\(screen)")
    await terminal.close()
  }

  @Test func `on forty columns a list and an entry are wrapped correctly`()
    async throws
  {
    home.set("LC_ALL", "ko_KR.UTF-8")
    let title = String(repeating: "가나다라", count: 75)
    let text = "한글로 쓴 아주 긴 문장이 여기에 있습니다. 터미널의 너비보다 길어서 접혀야 합니다."
    try await home.diary("new", title, "-m", text, "--date", "2026-10-10", in: "j")
    let terminal = try await Terminal(home, in: "j", columns: 40)
    try await terminal.enter("clear; diary list; diary search 너비보다; echo end")
    #expect(try await terminal.shows("\nend\n"))
    let screen = try await terminal.screen().split(separator: "\n")
    #expect(screen.count == 5, "\(screen)")
    #expect(screen[0].hasPrefix("1  2026-10-10") && screen[0].hasSuffix("…"), "\(screen)")
    #expect(screen[2].contains("너비보다"), "\(screen)")
    try await terminal.enter("clear; PAGER=cat diary show 1; echo over")
    #expect(try await terminal.shows("접혀야 합니다.\nover\n"))
    await terminal.close()
  }
}

/// The fitting of results to the width of a screen.
struct FittingTests {
  @Test(arguments: 12...60)
  func `wrapped lines fit and lose only spaces`(_ width: Int) {
    let texts = [
      "- **bold** item that is rather long, so long that it must be broken",
      "한글로 쓴 아주 긴 문장이 여기에 있습니다.",
      "日本語の長い文章はどこでも折り返すことができますから。",
      "    indented words and a https://example.org/very/long/address",
      String(repeating: "가나다라", count: 75), "a  b   c    d     e      f       g        h",
    ]
    for text in texts {
      let lines = TextWrapper.lines(of: text, width: width, indent: 1)
      #expect(lines.allSatisfy { displayWidth($0) <= width }, "\(lines)")
      #expect(lines.joined().filter { $0 != " " } == text.filter { $0 != " " })
      #expect(lines.first?.prefix { $0 == " " } == text.prefix { $0 == " " })
    }
    #expect(TextWrapper.lines(of: "one two", width: 80) == ["one two"])
  }

  @Test(arguments: 8...50)
  func `an excerpt fits and shows the match`(_ width: Int) {
    let lead = String(repeating: "앞의 말 ", count: 20)
    let parts = [
      MatchExcerpt.Part(text: lead, isMatch: false), .init(text: "산책", isMatch: true),
      .init(text: String(repeating: " and more", count: 30), isMatch: false),
    ]
    let fitted = MatchExcerpt.excerpt(of: parts, width: width)
    #expect(fitted.reduce(0) { $0 + displayWidth($1.text) } <= width, "\(fitted)")
    #expect(fitted.contains { $0.isMatch && $0.text.hasPrefix("산") }, "\(fitted)")
    #expect(MatchExcerpt.excerpt(of: [parts[1]], width: width) == [parts[1]])
  }
}
