// diary: how a person says it. One file per command; the only code that prints, asks, colours or
// exits. Everything it does is a use case of DiaryKit.

import ArgumentParser
import DiaryKit
import Foundation

/// The program.
@main
struct Diary {
  static func main() {
    Console.openClosedDescriptors()
    Task(executorPreference: WorkThread.main) {
      await run()
      exit(0)
    }
    WorkThread.main.run()
  }

  private static func run() async {
    let words = Array(CommandLine.arguments.dropFirst())
    if words == ["--version"] { return Console.say(DiaryCommand.configuration.version) }
    do {
      var command = try DiaryCommand.parsed(try Words.prepared(words))
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      Console.end(with: error)
    }
  }
}

/// The verbs.
struct DiaryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diary",
    abstract: "A plain-text journal: Markdown files that git remembers.",
    discussion: """
      Write in any editor; `diary watch` saves every change. The files are yours: every verb can be \
      replaced by an editor and git.
      """,
    version: "diary " + Version.current,
    groupedSubcommands: [
      CommandGroup(
        name: "Write", subcommands: [NewCommand.self, AddCommand.self, EditCommand.self]),
      CommandGroup(
        name: "Read",
        subcommands: [
          ListCommand.self, ShowCommand.self, SearchCommand.self, TagsCommand.self,
          ShareCommand.self, HistoryCommand.self,
        ]),
      CommandGroup(
        name: "Keep",
        subcommands: [
          SaveCommand.self, WatchCommand.self, StatusCommand.self, RenameCommand.self,
          DeleteCommand.self, RestoreCommand.self, UndoCommand.self, WeatherCommand.self,
          SyncCommand.self,
        ]),
      CommandGroup(
        name: "Journal",
        subcommands: [
          InitCommand.self, CloneCommand.self, ImportCommand.self, IndexCommand.self,
          CheckCommand.self,
          LeaveCommand.self, MergeFileCommand.self,
        ]),
    ],
    defaultSubcommand: ListCommand.self)
}

extension DiaryCommand {
  /// The verb's own parser reads the words: preparing all verbs' takes half of a program's start. What
  /// it refuses, or answers with help, is read again with all of them, for the whole command's texts.
  fileprivate static func parsed(_ words: [String]) throws -> any ParsableCommand {
    let verb = words.first ?? "list"
    let type = configuration.subcommands.first { $0.configuration.commandName == verb }
    guard let type, type.configuration.subcommands.isEmpty,
      let command = try? type.parseAsRoot(Array(words.dropFirst())), Swift.type(of: command) == type
    else { return try parseAsRoot(words) }
    return command
  }
}

/// What `--version` says; the CHANGELOG's newest heading is held to it by a test.
enum Version {
  static let current = "0.1.0"
}
