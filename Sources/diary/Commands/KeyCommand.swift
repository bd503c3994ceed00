import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Glibc
import Localization

struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: localized("Show, check and store the keys of sealed remotes."),
    subcommands: [List.self, Check.self, Add.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Show the sealed remotes of the journal with their keys."),
      discussion: localized("The keys themselves are shown only on a terminal, or with --show."))
    @Flag(help: ArgumentHelp(localized("Print the keys, also into a pipe.")))
    var show = false
    @Flag(help: ArgumentHelp(localized("Print a JSON array.")))
    var json = false
    @OptionGroup var common: CommonOptions

    struct RemoteJSON: Encodable {
      var remote: String
      var url: String
      var keyFile: String?
      var key: String?

      enum CodingKeys: String, CodingKey {
        case remote, url, key
        case keyFile = "key_file"
      }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(remote, forKey: .remote)
        try container.encode(url, forKey: .url)
        try container.encode(keyFile, forKey: .keyFile)
        try container.encode(key, forKey: .key)
      }
    }

    func run() async throws {
      let journal = try common.open()
      let keys = SealedKeys(journal.environment, of: journal)
      let remotes = try await keys.remotes(of: journal)
      if json {
        return Console.print(
          json: try EntryJSON.encoded(
            remotes.map {
              RemoteJSON(
                remote: $0.name, url: $0.url, keyFile: $0.key?.path,
                key: show ? $0.key?.line : nil)
            }))
      }
      KeyCommand.printProtection(keys, common)
      guard !remotes.isEmpty else {
        throw DiaryError(
          localized("the journal has no sealed remote"), kind: .nothingFound,
          hint: localized("`diary init --remote URL --sealed` makes one"))
      }
      for remote in remotes { printRemote(remote) }
    }

    private func printRemote(_ remote: KeyedRemote) {
      Console.print(
        styled: Console.styled(Console.escapedOnTerminal(remote.name), .bold) + "  "
          + Console.escapedOnTerminal(remote.url))
      guard let key = remote.key else {
        return Console.print(
          "  "
            + (remote.isClosed
              ? Console.namingJournal(localized("no key here opens it; `diary key add` stores one"))
              : localized("nothing of it is here yet; the first sync finds its key")))
      }
      Console.print("  " + Console.escapedOnTerminal(key.path))
      guard show || Console.isTerminal else { return }
      for row in key.rows { Console.print("    " + row) }
    }
  }

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Test a key that you have written down: type it, and it is compared."))
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let journal = try common.open()
      let keys = SealedKeys(journal.environment, of: journal)
      let remotes = try await keys.remotes(of: journal)
      KeyCommand.printProtection(keys, common)
      let known = try keys.find(try KeyCommand.typedKey())
      let names = remotes.filter { known != nil && $0.key?.line == known?.line }.map(\.name)
      guard !names.isEmpty else {
        throw DiaryError(
          localized("this is a key, but of no sealed remote of the journal"),
          details: known.map { [localized("it is stored in \($0.path)")] } ?? [],
          hint: localized("`diary key` shows which keys are used"))
      }
      for name in names {
        Console.print(
          localized(
            "Right: this is the key of the remote \"\(Console.escapedOnTerminal(name))\"."))
      }
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Store a key on this device."),
      discussion: localized(
        "Without FILE, it is asked for, or read from a pipe. A journal that locks keeps it inside.")
    )
    @Argument(
      help: ArgumentHelp(localized("A file with the key, or - for a pipe."), valueName: "file"))
    var file: String?
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let environment = RuntimeEnvironment.current()
      let keys = SealedKeys(environment, of: try journal())
      let text =
        if let file, file != "-" {
          String(decoding: try environment.contents(of: file), as: UTF8.self)
        } else {
          try KeyCommand.typedKey()
        }
      let (key, isNew) = try keys.add(text)
      let path = Console.escapedOnTerminal(key.path)
      Console.print(
        isNew ? localized("Stored in \(path)") : localized("It is here already, in \(path)"))
      KeyCommand.printProtection(keys, common)
    }

    /// The journal, if there is one: a key can be stored before it is cloned. One that was named must
    /// be there.
    private func journal() throws -> Journal? {
      do { return try common.open() } catch {
        if common.hasJournalOption || DiaryError(error).kind == .locked { throw error }
        return nil
      }
    }
  }

  /// The key that the person types unseen, or the text of a pipe.
  private static func typedKey() throws -> String {
    let typed =
      isatty(STDIN_FILENO) == 1
      ? Console.secret()
      : String(decoding: FileHandle.standardInput.readDataToEndOfFile(), as: UTF8.self)
    guard let typed, !typed.allSatisfy(\.isWhitespace) else {
      throw DiaryError(localized("no key was given"))
    }
    return typed
  }

  /// Names the keys of a journal that locks which are outside of it, and how to move them inside.
  static func tellOutside(of journal: Journal, _ common: CommonOptions) async throws {
    guard EncryptedFolder(journal.root).state == .unlocked else { return }
    let remotes = try await SealedKeys(journal.environment, of: journal).remotes(of: journal)
    for path in Set(remotes.compactMap(\.key?.path)).sorted()
    where !path.hasPrefix(journal.root + "/") {
      let word = shellWord(path)
      // The key itself may be where a link leads.
      let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
      let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
      let all = isLink && !real.hasPrefix(journal.root + "/") ? "\(word) \(shellWord(real))" : word
      common.printNotice(
        paragraph: localized(
          "The key of the sealed remote is outside of the journal, where it is not encrypted. To move "
            + "it inside: diary key add --journal \(shellWord(journal.root)) \(word) && rm \(all)")
      )
    }
  }

  /// Prints how to keep others from reading the keys, if they can.
  static func printProtection(_ keys: SealedKeys, _ common: CommonOptions) {
    guard let command = keys.protection else { return }
    common.printNotice(localized("Other users may read your keys; to prevent it: \(command)"))
  }
}
