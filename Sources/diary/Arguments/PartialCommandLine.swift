import DiaryKit

/// The words of a command line as far as it is typed: the whole line, or the words before the cursor.
struct PartialCommandLine {
  /// The command, a subcommand as `weather NAME`; `nil` if it is not typed yet.
  private(set) var command: String?
  /// `weather`, if its subcommand is not typed yet.
  private(set) var commandGroup: String?
  /// The words after the command that are not options.
  private(set) var arguments: [String] = []
  /// An option whose value is not typed yet.
  private(set) var pendingOption: String?
  /// True after `--`.
  private(set) var hasEndOfOptions = false
  private var journalOptions: (folder: String?, name: String?) = (nil, nil)

  init(_ words: [String]) {
    var rest = words[...]
    while let word = rest.popFirst() {
      if !hasEndOfOptions, word == "--" {
        hasEndOfOptions = true
        continue
      }
      let preset = commandGroup.flatMap { ArgumentPreprocessor.groups[$0]?.first }
      let typed = command ?? commandGroup.map { "\($0) \(preset ?? "")" } ?? "list"
      // Without a command, a day begins a text or shows entries.
      let table = OptionTable.byCommand[typed] ?? OptionTable.byCommand["new"]
      if !hasEndOfOptions, let count = table?.argumentCount(word) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let value = count == 2 ? rest.popFirst() : parts.dropFirst().first.map(String.init)
        else {
          if count == 2 { pendingOption = word }
          continue
        }
        if parts[0] == "--journal" { journalOptions.folder = value }
        if parts[0] == "-j" { journalOptions.name = value }
      } else if command != nil {
        arguments.append(word)
      } else if let commandGroup {
        command = commandGroup + " " + word
      } else if ArgumentPreprocessor.groups[word] != nil {
        commandGroup = word
      } else {
        command = word
      }
    }
  }

  /// The folder of the journal that the line names, and the option that names it in any folder; `nil` if
  /// it names none.
  func namedJournal(_ environment: RuntimeEnvironment) -> (root: String, option: String)? {
    let folder: String? =
      switch command {
      case "init": arguments.first
      case "clone" where arguments.count > 1: arguments[1]
      case "clone" where journalOptions == (nil, nil): JournalFinder.personalJournal(environment)
      default: nil
      }
    if folder == nil, let name = journalOptions.name {
      guard let root = try? JournalFinder.folder(called: name, environment) else { return nil }
      return (root, "-j " + shellWord(name))
    }
    guard let folder = folder ?? journalOptions.folder, !folder.isEmpty else { return nil }
    let root = environment.absolutePath(of: folder)
    return (root, "--journal " + shellWord(root))
  }

  /// The selected journal, if it exists. Problems in its settings are not reported here.
  var journal: Journal? {
    let environment = RuntimeEnvironment.current()
    var folder = journalOptions.folder
    if let name = journalOptions.name {
      guard let known = try? JournalFinder.folder(called: name, environment) else { return nil }
      folder = known
    }
    guard let root = try? JournalFinder.find(named: folder, environment) else { return nil }
    return try? Journal(root: root, environment: environment)
  }
}
