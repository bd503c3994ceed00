import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Localization

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "init", abstract: localized("Create a journal, or adopt an existing folder."),
    discussion:
      localized(
        "Existing files are not changed: adopting adds the folder .diary and a few lines inside .git."
      )
  )

  @Argument(
    help: ArgumentHelp(
      localized("The folder; by default, your personal journal."), valueName: "folder"))
  var folder: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      localized("Where you are, for the weather: a town or coordinates."), valueName: "place")
  )
  var place: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      localized("A git remote to sync with: any address that git accepts."), valueName: "url"))
  var remote: String?
  @Flag(help: ArgumentHelp(localized("With --remote: its host stores only encrypted files.")))
  var sealed = false
  @Flag(help: ArgumentHelp(localized("Make a new journal that can be locked with a password.")))
  var encrypted = false
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      localized("With --encrypted: a command line that prints the password."),
      valueName: "command"))
  var passwordCommand: String?
  @Flag(help: ArgumentHelp(localized("Accept what Diary proposes, without asking.")))
  var yes = false
  @Flag(help: ArgumentHelp(localized("Inside another git repository: commit to that one.")))
  var join = false
  @Flag(help: ArgumentHelp(localized("Inside another git repository: create a separate one.")))
  var separate = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if join, separate { throw ValidationError(localized("choose one of --join and --separate")) }
    if encrypted, join {
      throw ValidationError(localized("--encrypted cannot be used with --join"))
    }
    if passwordCommand != nil, !encrypted {
      throw ValidationError(localized("--password-command needs --encrypted"))
    }
    if sealed, remote == nil { throw ValidationError(localized("--sealed needs --remote")) }
  }

  func run() async throws {
    let environment = RuntimeEnvironment.current()
    let root =
      try folder.map(environment.absolutePath)
      ?? JournalFinder.location(named: common.folder(environment), environment)
    var survey = try await JournalSetup.survey(root, environment)
    if encrypted {
      try await EncryptedSetup(environment: environment, common: common, command: passwordCommand)
        .make(survey)
      survey = try await JournalSetup.survey(root, environment)
    }
    var host: SealedHost?
    if sealed, let remote {
      host = try await SealedSetup(environment: environment, common: common).hostForInit(
        remote, for: survey.isJournal ? root : nil, yes: yes)
    }
    if survey.isJournal {
      if let remote {
        return try await connect(try Journal(root: root, environment: environment), remote, host)
      }
      return try await completeClone(try Journal(root: root, environment: environment))
    }
    if let program = survey.syncedBy {
      common.printNotice(
        localized(
          "diary: \(Console.escaped(root)) is in a folder that \(program) syncs\n"
            + "hint: a program that copies a git repository file by file can damage it; "
            + "put the journal in another folder and sync it with a git remote, or exclude .git "
            + "from it (Syncthing: a line .git in .stignore)"))
    }
    guard try chooseRepository(&survey), try confirmAdoption(survey) else {
      common.printNotice(localized("Nothing was changed."))
      return
    }
    let uncommitted = try await JournalSetup.uncommitted(in: survey, environment)
    let includesUncommitted = try confirmUncommitted(uncommitted, survey)
    let outcome = try await JournalSetup.create(
      from: survey, includingUncommitted: includesUncommitted, environment)
    printResult(outcome, survey)
    if let surrounding = survey.enclosingRepository, survey.repository == nil {
      common.printNotice(
        localized(
          "\(Console.escaped(surrounding)) shows this folder as untracked; to hide it, add a line to its "
            + ".git/info/exclude."))
    }
    if let remote {
      try await connect(try Journal(root: root, environment: environment), remote, host)
    }
    offerName(for: root, environment)
    try await setUpWeather(environment)
  }

  /// Makes the journal the personal one, or gives it a name, if the user agrees.
  private func offerName(for root: String, _ environment: RuntimeEnvironment) {
    guard let (key, folder) = JournalFinder.proposedName(of: root, environment) else { return }
    let name = key.split(separator: ".").last.map(String.init) ?? key
    let isPersonal = key == "journal"
    let command = "diary config \(key) \(shellWord(folder))"
    guard Console.canPrompt, !yes else {
      return common.printNotice(
        isPersonal
          ? localized("To make it the journal that `diary` uses in any folder: \(command)")
          : localized("To reach it from any folder with `diary -j \(name)`: \(command)"))
    }
    let question =
      isPersonal
      ? localized("Make it the journal that `diary` uses in any folder?")
      : localized("Name it \"\(name)\", so that `diary -j \(name)` opens it from any folder?")
    guard Console.confirm(question, preset: true) else { return }
    do {
      try SettingsFiles.configure(
        key, to: .text(folder), in: SettingsFiles.settingsSource(environment), environment)
    } catch {
      Console.printError(DiaryError(error))
    }
  }

  /// Completes a journal that was cloned with git, as `diary clone` does.
  private func completeClone(_ journal: Journal) async throws {
    guard try await journal.setup.needsCloneSetup() else {
      throw DiaryError(
        localized("\(journal.root) is already a journal"),
        hint: localized("`diary status` shows its state"))
    }
    let entries = try await journal.setup.finishClone()
    Console.print(localized("Journal: \(Console.escapedOnTerminal(journal.root))"))
    common.printNotice(
      localized(
        "Set up the clone: \(counted(entries, "entry", "entries")); git now merges entries the way "
          + "Diary does."))
  }

  private func connect(_ journal: Journal, _ url: String, _ host: SealedHost?) async throws {
    if let host {
      return try await SealedSetup(environment: journal.environment, common: common)
        .connect(journal, to: host, yes: yes)
    }
    let outcome = try await journal.remote.addRemote(url)
    SyncReport.print(outcome, common)
    if !outcome.isComplete { throw ExitCode(1) }
    if JournalSetup.sealedHost(of: url) == nil {
      common.printNotice(
        localized(
          "Whoever can read the remote can read the journal; with --sealed only you can."))
    }
  }

  /// Chooses the repository if the folder is inside one; `false` if the user chooses neither.
  private func chooseRepository(_ survey: inout InitSurvey) throws -> Bool {
    let root = Console.escaped(survey.root)
    guard let surrounding = survey.enclosingRepository.map({ Console.escaped($0) }) else {
      guard !join else {
        throw DiaryError(
          localized("\(root) is not inside another git repository, so there is nothing to join"),
          kind: .usage,
          hint: localized("remove --join"))
      }
      return true
    }
    common.printNotice(localized("\(root) is inside the git repository \(surrounding)."))
    if join {
      survey.repository = survey.enclosingRepository
      return true
    }
    // A repository outside of the folder that locks would have every word in plain.
    if !separate, !yes, !encrypted {
      guard Console.canPrompt else {
        throw DiaryError(
          localized(
            "\(survey.root) is inside the git repository \(survey.enclosingRepository ?? ""), and Diary "
              + "cannot ask here whether it may commit to it"),
          hint: localized(
            "--separate creates a repository for the journal, --join commits to that one"))
      }
      if !Console.confirm(localized("Create a separate repository for the journal?"), preset: true)
      {
        survey.repository = survey.enclosingRepository
        return Console.confirm(
          localized("Commit the journal to \(surrounding) instead?"), preset: false)
      }
    }
    survey.repository = nil
    return true
  }

  private func confirmAdoption(_ survey: InitSurvey) throws -> Bool {
    guard survey.isAdopted else { return true }
    SurveyReport.print(survey, common)
    if yes { return true }
    guard Console.canPrompt else {
      throw DiaryError(
        localized("\(survey.root) already has files, and Diary cannot ask for confirmation here"),
        hint: localized("use --yes to make it a journal; its files are not changed"))
    }
    return Console.confirm(
      localized("Make this folder a journal? Its files are not changed."), preset: true)
  }

  /// True if uncommitted entries of a user's repository become part of Diary's first commit.
  private func confirmUncommitted(_ uncommitted: [EntryPath], _ survey: InitSurvey) throws -> Bool {
    guard survey.repository != nil, !uncommitted.isEmpty else { return true }
    if yes { return true }
    common.printNotice(
      counted(uncommitted.count, "entry is not committed:", "entries are not committed:"))
    for path in uncommitted.prefix(10) { common.printNotice("  " + Console.escaped(path.text)) }
    if uncommitted.count > 10 {
      common.printNotice(localized("  and \(uncommitted.count - 10) more"))
    }
    return Console.confirm(localized("Commit them now?"), preset: false)
  }

  private func printResult(_ outcome: InitOutcome, _ survey: InitSurvey) {
    Console.print(localized("Journal: \(Console.escapedOnTerminal(outcome.root))"))
    if outcome.isNewRepository { common.printNotice(localized("Created a git repository there.")) }
    if outcome.entries == 0, survey.isAdopted {
      common.printNotice(localized("It has no entries yet."))
    } else if outcome.entries > 0 {
      common.printNotice(localized("\(counted(outcome.entries, "entry", "entries")) found."))
    }
    SaveReport.print(outcome.save, common)
    common.printNotice(
      localized(
        "To write: diary today: It rained. To save while you write in an editor: diary watch"))
  }

  private func setUpWeather(_ environment: RuntimeEnvironment) async throws {
    if let place { return try await WeatherPlace.set(place, environment, common) }
    let settings = JournalFinder.personalSettings(environment)
    guard Console.canPrompt, !yes, settings.place == nil, settings.weatherProvider != .off else {
      return
    }
    common.printNotice(
      paragraph: localized(
        "Add the weather to new entries? Type a town or coordinates, or press Enter to "
          + "skip. Diary sends the name of a town, and then your position rounded to about 1 km, to "
          + "Open-Meteo."))
    let answer = Console.prompt(localized("Where are you? ")) ?? ""
    if answer.allSatisfy(\.isWhitespace) || Console.isNo(answer) {
      try JournalWeather.declineWeather(environment)
      return common.printNotice(
        localized("The weather is off; `diary weather on PLACE` turns it on."))
    }
    do {
      try await WeatherPlace.set(answer, environment, common)
    } catch {
      // The journal exists; only the weather is not set up.
      Console.printError(DiaryError(error))
      common.printNotice(
        localized("The journal works without it. To try again: diary weather on PLACE"))
    }
  }
}

/// Sets the weather's place, which is also the consent, for `init` and `weather on`.
enum WeatherPlace {
  static func set(_ name: String, _ environment: RuntimeEnvironment, _ common: CommonOptions)
    async throws
  {
    let isName = Place(coordinates: name) == nil
    if isName {
      common.printNotice(
        localized("Looking up \"\(Console.escaped(name))\", which sends the name to the provider."))
    }
    let found = try await JournalWeather.geocode(
      name, JournalFinder.personalSettings(environment), environment)
    let place = try choose(from: found)
    try JournalWeather.setPlace(place, environment)
    let shown = place.name.map { Console.escapedOnTerminal($0) + " " } ?? ""
    let position = String(format: "(%.2f, %.2f)", place.latitude, place.longitude)
    Console.print(
      localized("Weather on: \(shown)\(position)"))
  }

  private static func choose(from places: [Place]) throws -> Place {
    guard places.count > 1, Console.canPrompt else {
      guard let place = places.first else { throw DiaryError.weatherIsOff }
      return place
    }
    for (index, place) in places.prefix(9).enumerated() {
      Console.printNotice("  \(index + 1)  \(Console.escaped(place.name ?? ""))")
    }
    let answer = Console.prompt(localized("Which one? [1] ")) ?? ""
    let number = answer.isEmpty ? 1 : Int(answer) ?? 0
    guard (1...min(9, places.count)).contains(number) else {
      throw DiaryError(localized("no place chosen; the weather setting is unchanged"))
    }
    return places[number - 1]
  }
}
