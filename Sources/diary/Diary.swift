// diary: the command-line program, with one file per command. Only this module prints, asks,
// colours and exits; the work itself is in the use cases of DiaryKit.

import ArgumentParser
import CBuild
import DiaryKit
import Foundation
import Localization

/// The entry point of the program.
package struct Diary {
  package static func main() {
    Console.openClosedDescriptors()
    // A write beyond `ulimit -f` then fails with a reason instead of ending the process. Programs
    // that this one starts have the default again.
    signal(SIGXFSZ) { _ in }
    // With it ignored, as some programs leave it, no program that ends has an exit code.
    signal(SIGCHLD, SIG_DFL)
    Task(executorPreference: MainThreadExecutor.main) {
      await run()
      exit(0)
    }
    MainThreadExecutor.main.run()
  }

  private static func run() async {
    do {
      let typed = try CommandArguments.arguments()
      // JSON is for programs, so it is not localized.
      if !typed.contains("--json") { Translation.select(Console.environment) }
      if typed == ["--version"] { return Console.print(DiaryCommand.configuration.version) }
      if typed.first == "--complete" { return await Completion.answer(Array(typed.dropFirst())) }
      if typed.count == 2, Set(typed) == ["--version", "--verbose"] {
        return Console.print(Version.details)
      }
      if [["help"], ["help", "help"], ["--help"], ["-h"]].contains(typed) {
        return await Pager.show(DailyHelp.lines)
      }
      if typed == ["help", "all"] {
        let help = DailyHelp.localizedHelp(DiaryCommand.helpMessage(columns: Console.width))
        return await Pager.show(
          help.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) })
      }
      try SealedKeys.requireNoKey(in: typed)
      let arguments = try ArgumentPreprocessor.parserArguments(for: typed)
      let makers = ["init", "clone", "export", "share", "demo"]
      try RuntimeEnvironment.requireFoldersInUTF8(
        makesFiles: makers.contains(arguments.first ?? ""))
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

  /// Runs a command with only its own parser: preparing the parsers of all commands takes half of
  /// the start-up time. Returns false if the parser rejects the arguments or would print help. The
  /// caller then parses them with all commands, whose messages are complete.
  private static func runDirectly<Command: AsyncParsableCommand>(
    _ type: Command.Type, _ arguments: [String]
  ) async throws -> Bool {
    guard var command = (try? type.parseAsRoot(arguments)) as? Command else { return false }
    try await command.run()
    return true
  }
}

/// The root command, with all commands in groups.
struct DiaryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diary",
    abstract: localized("A plain-text journal: Markdown files with a git history."),
    discussion: localized(
      """
      Write in any editor; `diary watch` saves every change. The files are plain text, and any \
      other program can read and write them.

      Every command takes --journal DIR, the journal's folder, or -j NAME, a journal from your \
      settings, and --quiet, to print only results and errors.
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
        DeleteCommand.self, RestoreCommand.self, UndoCommand.self, RedoCommand.self,
        WeatherCommand.self,
        SyncCommand.self,
      ]
    ),
    (
      localized("Journal"),
      [
        InitCommand.self, CloneCommand.self, UnlockCommand.self, LockCommand.self,
        EncryptCommand.self,
        KeyCommand.self, ConfigCommand.self,
        ImportCommand.self, ExportCommand.self, IndexCommand.self, CheckCommand.self,
        DemoCommand.self, LeaveCommand.self, MergeFileCommand.self,
      ]
    ),
  ]

  /// The command with this name, unless it has subcommands.
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
  /// The configuration of a command. Naming the program skips the parser's check for a request for
  /// a completion script, which takes as long as parsing. The root command still makes that check.
  init(command: String, abstract: String, discussion: String = "", shouldDisplay: Bool = true) {
    self.init(
      commandName: command, _superCommandName: "diary", abstract: abstract, discussion: discussion,
      shouldDisplay: shouldDisplay)
  }
}

/// The output of `--version`. A test checks that the CHANGELOG's newest heading matches it.
enum Version {
  static let current = "0.1.0"

  /// The output of `--version --verbose`: the commit and Swift's version, if `make install` has set
  /// them, and the loaded libraries.
  static var details: String {
    let build = [("commit", diary_build_commit()), ("Swift", diary_build_swift())].compactMap {
      name, value in value.map { (name: name, version: String(cString: $0)) }
    }
    let lines = (build + LoadedLibraries.versions).map { $0.name + " " + $0.version }
    return ([DiaryCommand.configuration.version] + lines).joined(separator: "\n")
  }
}
