import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import diary

/// The help texts, compared with the program.
@Suite struct HelpTests {
  static let commands = OptionTable.byCommand.keys.sorted()

  @Test func `the table of options contains every command`() {
    let groups = ArgumentPreprocessor.groups
    let commands = ArgumentPreprocessor.commands.flatMap { command in
      groups[command]?.map { "\(command) \($0)" } ?? [command]
    }
    #expect(Set(Self.commands) == Set(commands) && groups.count == 2)
  }

  @Test(arguments: commands)
  func `the table of options equals the help`(_ command: String) throws {
    let options = try options(of: command)
    let table = try #require(OptionTable.byCommand[command])
    #expect(table.flags == options.flags)
    #expect(table.values == options.values)
    let help = try help(command)
    if table.takesText { #expect(help.contains("ARGUMENTS:"), "\(help)") }
    #expect(table.takesText == help.contains("ARGUMENTS:"), "\(command) takes words or does not")
  }

  @Test func `help, hints and errors name only existing commands and options`() throws {
    let sources = Project.root.appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    var texts: [String] = []
    for case let file as URL in try #require(files) where file.pathExtension == "swift" {
      texts.append(try String(contentsOf: file, encoding: .utf8))
    }
    for command in Self.commands { texts.append(try help(command)) }
    var seen = 0
    for text in texts {
      for match in text.matches(of: /`diary ([a-z]+)((?: [^`\n]*)?)`/) {
        let command = String(match.1)
        if command == "help" { continue }
        seen += 1
        #expect(ArgumentPreprocessor.commands.contains(command), "\(match.0)")
        let next = match.2.split(separator: " ").first.map(String.init) ?? ""
        let verbs = ArgumentPreprocessor.groups[command]
        let name = verbs.map { "\(command) \($0.contains(next) ? next : $0[0])" } ?? command
        let table = OptionTable.byCommand[name]
        for option in match.2.split(separator: " ") where option.hasPrefix("--") && option != "--" {
          #expect(table?.argumentCount(String(option)) != nil, "\(match.0)")
        }
      }
    }
    #expect(seen > 20)
  }

  @Test func `the first help fits a terminal of 24 lines and 80 columns`() throws {
    let lines = DailyHelp.lines
    #expect(lines.count < 24 && lines.allSatisfy { displayWidth($0) <= 80 }, "\(lines)")
    for command in ["new", "add", "show", "search", "undo", "watch", "sync"] {
      #expect(lines.contains { $0.hasPrefix("  diary \(command)") }, "\(command): \(lines)")
    }
  }

  @Test func `the main help names the global options`() throws {
    let help = try help("")
    for option in ["--journal", "--quiet"] { #expect(help.contains(option), "\(help)") }
  }

  @Test func `only the watcher offers --verbose`() throws {
    for command in Self.commands {
      #expect(try help(command).contains("--verbose") == (command == "watch"), "\(command)")
    }
  }

  private func help(_ command: String) throws -> String {
    let words = command.split(separator: " ").map(String.init) + ["--help"]
    let answer = try #require(ParserOutput(words))
    #expect(answer.status == 0, "\(answer)")
    return answer.text
  }

  private func options(of command: String) throws -> (flags: Set<String>, values: Set<String>) {
    var flags: Set<String> = []
    var values: Set<String> = []
    for line in try help(command).split(separator: "\n") {
      guard let match = line.firstMatch(of: /^  (-[^ ,]+)(?:, (-[^ ,]+))?( <)?/) else { continue }
      let names = [match.1, match.2].compactMap { $0.map(String.init) }
      if match.3 == nil { flags.formUnion(names) } else { values.formUnion(names) }
    }
    return (flags, values)
  }
}
