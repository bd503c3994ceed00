import DiaryKit
import Foundation

/// Shows text that is longer than the screen in the user's pager; prints any other text.
enum Pager {
  static func show(_ lines: [String]) async {
    guard !lines.isEmpty else { return }
    let text = lines.joined(separator: "\n") + "\n"
    let pager = Console.environment["DIARY_PAGER"] ?? Console.environment["PAGER"] ?? "less"
    guard Console.isTerminal, !Console.isDumb, lines.count >= Console.height, !pager.isEmpty,
      pager != "cat"
    else { return Console.write(text, to: 1) }
    let line = pager == "less" ? "less -FRX" : pager
    var environment = RuntimeEnvironment.current()
    // less prints Korean as bytes if the user's locale is set but not installed.
    if environment.variables["LESSCHARSET"] == nil {
      environment.variables["LESSCHARSET"] = "utf-8"
    }
    let isShown = try? await DiaryKit.showInPager(Array(text.utf8), with: line, environment)
    if isShown != true { Console.write(text, to: 1) }
  }
}
