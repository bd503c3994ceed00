// diary: how a person says it. One file per command; the only code that prints, asks, colours or
// exits. Everything it does is a use case of DiaryKit.

import ArgumentParser
import CBuild
import DiaryKit
import Foundation
import Localization

/// The program.
package struct Diary {
  package static func main() {
    Console.openClosedDescriptors()
    Task(executorPreference: MainThreadExecutor.main) {
      await run()
      exit(0)
    }
    MainThreadExecutor.main.run()
  }

  private static func run() async {
    do {
      let typed = try CommandArguments.arguments()
      // JSON is for programs, in every language the same.
      if !typed.contains("--json") { Translation.select(Console.environment) }
      if typed == ["--version"] { return Console.print(DiaryCommand.configuration.version) }
      if typed.first == "--complete" { return await Completion.answer(Array(typed.dropFirst())) }
      if typed.count == 2, Set(typed) == ["--version", "--verbose"] {
        return Console.print(Version.details)
      }
      let arguments = try ArgumentPreprocessor.parserArguments(for: typed)
      if let type = DiaryCommand.command(named: arguments.first ?? "list"),
        try await runDirectly(type, Array(arguments.dropFirst()))
      {
        return
      }
      var command = try DiaryCommand.parseAsRoot(arguments)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      Console.terminate(with: error)
    }
  }

  /// The command's own parser reads the words: preparing all commands' takes half of a program's start. What
  /// it refuses, or answers with help, is false, and is read again with all of them, for the whole
  /// command's texts.
  private static func runDirectly<Command: AsyncParsableCommand>(
    _ type: Command.Type, _ arguments: [String]
  ) async throws -> Bool {
    guard var command = (try? type.parseAsRoot(arguments)) as? Command else { return false }
    try await command.run()
    return true
  }
}

/// The commands.
struct DiaryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diary",
    abstract: localized("A plain-text journal: Markdown files with a git history."),
    discussion: localized(
      """
      Write in any editor; `diary watch` saves every change. The files are plain text, and any \
      other program can read and write them.

      Every command takes --journal DIR, the journal's folder, or -j NAME, one of your settings, and \
      --quiet, to print only results and errors.
      """),
    version: "diary " + Version.current,
    groupedSubcommands: groups.map { group in
      CommandGroup(name: group.name, subcommands: group.commands.map { $0 })
    },
    defaultSubcommand: ListCommand.self)

  private static let groups: [(name: String, commands: [any AsyncParsableCommand.Type])] = [
    (localized("Write"), [NewCommand.self, AddCommand.self, EditCommand.self, WebCommand.self]),
    (
      localized("Read"),
      [
        ListCommand.self, ShowCommand.self, SearchCommand.self, TagsCommand.self,
        ShareCommand.self, HistoryCommand.self,
      ]
    ),
    (
      localized("Look back"),
      [OnThisDayCommand.self, CalendarCommand.self, StatsCommand.self, RandomCommand.self]
    ),
    (
      localized("Save and sync"),
      [
        SaveCommand.self, WatchCommand.self, StatusCommand.self, RenameCommand.self,
        StarCommand.self, UnstarCommand.self,
        DeleteCommand.self, RestoreCommand.self, UndoCommand.self, WeatherCommand.self,
        SyncCommand.self,
      ]
    ),
    (
      localized("Journal"),
      [
        InitCommand.self, CloneCommand.self, ConfigCommand.self, ImportCommand.self,
        ExportCommand.self,
        IndexCommand.self, CheckCommand.self, LeaveCommand.self, MergeFileCommand.self,
      ]
    ),
  ]

  /// The command of this name, if it has none below it.
  fileprivate static func command(named name: String) -> (any AsyncParsableCommand.Type)? {
    for group in groups {
      for command in group.commands where command.configuration.commandName == name {
        return command.configuration.subcommands.isEmpty ? command : nil
      }
    }
    return nil
  }
}

extension CommandConfiguration {
  /// A command's. With the program named above it, its own parser does not try first whether a script of
  /// completions is wanted, which takes as long as reading the words; the whole command's does.
  init(command: String, abstract: String, discussion: String = "", shouldDisplay: Bool = true) {
    self.init(
      commandName: command, _superCommandName: "diary", abstract: abstract, discussion: discussion,
      shouldDisplay: shouldDisplay)
  }
}

/// What `--version` says; the CHANGELOG's newest heading is held to it by a test.
enum Version {
  static let current = "0.1.0"

  /// What `--version --verbose` says: the commit and Swift's version, where `make install` has told them,
  /// and the libraries that are loaded.
  static var details: String {
    let build = [("commit", diary_build_commit()), ("Swift", diary_build_swift())].compactMap {
      name, value in value.map { (name: name, version: String(cString: $0)) }
    }
    let lines = (build + LoadedLibraries.versions).map { $0.name + " " + $0.version }
    return ([DiaryCommand.configuration.version] + lines).joined(separator: "\n")
  }
}
