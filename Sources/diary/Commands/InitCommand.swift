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
  @Flag(help: ArgumentHelp(localized("Accept what Diary proposes, without asking.")))
  var yes = false
  @Flag(help: ArgumentHelp(localized("Inside another git repository: commit to that one.")))
  var join = false
  @Flag(help: ArgumentHelp(localized("Inside another git repository: create a separate one.")))
  var separate = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if join, separate { throw ValidationError(localized("choose one of --join and --separate")) }
  }

  func run() async throws {
    let environment = RuntimeEnvironment.current()
    let root =
      try folder.map(environment.absolute)
      ?? Journal.location(named: common.folder(environment), environment)
    var survey = try await Journal.survey(root, environment)
    if survey.isJournal {
      if let remote {
        return try await connect(try Journal(root: root, environment: environment), remote)
      }
      return try await settle(try Journal(root: root, environment: environment))
    }
    if let program = survey.syncedBy {
      common.remark(
        localized(
          "diary: \(Console.named(root)) is in a folder that \(program) syncs\n"
            + "hint: a program that copies a git repository file by file can damage it; "
            + "put the journal in another folder and sync it with a git remote"))
    }
    guard try choosesRepository(&survey), try agreed(survey) else {
      common.remark(localized("Nothing was changed."))
      return
    }
    let uncommitted = try await Journal.uncommitted(in: survey, environment)
    let taking = try takes(uncommitted, survey)
    let outcome = try await Journal.make(survey, taking: taking, environment)
    report(outcome, survey)
    if let around = survey.surrounding, survey.repository == nil {
      common.remark(
        localized(
          "\(Console.named(around)) shows this folder as untracked; to hide it, add a line to its "
            + ".git/info/exclude."))
    }
    if let remote { try await connect(try Journal(root: root, environment: environment), remote) }
    nameIt(root, environment)
    try await askForPlace(environment)
  }

  /// Makes the journal known outside its folder, as the personal one or by a name, if the user agrees.
  private func nameIt(_ root: String, _ environment: RuntimeEnvironment) {
    guard let (key, folder) = Journal.proposedName(of: root, environment) else { return }
    let name = key.split(separator: ".").last.map(String.init) ?? key
    let isPersonal = key == "journal"
    let command = "diary config \(key) \(Console.quoted(folder))"
    guard Console.canAsk, !yes else {
      return common.remark(
        isPersonal
          ? localized("To make it the journal that `diary` means in any folder: \(command)")
          : localized("To reach it from any folder with `diary -j \(name)`: \(command)"))
    }
    let question =
      isPersonal
      ? localized("Make it the journal that `diary` means in any folder?")
      : localized("Call it \"\(name)\", so that `diary -j \(name)` means it in any folder?")
    guard Console.agrees(question, preset: true) else { return }
    do {
      try Journal.configure(
        key, to: .text(folder), in: Journal.settingsSource(environment), environment)
    } catch {
      Console.tell(DiaryError(error))
    }
  }

  /// A journal that git has cloned gets what `diary clone` would have given it.
  private func settle(_ journal: Journal) async throws {
    guard try await journal.isJustCloned() else {
      throw DiaryError(
        localized("\(journal.root) is already a journal"),
        hint: localized("`diary status` shows its state"))
    }
    let entries = try await journal.settleIn()
    Console.say(localized("Journal: \(Console.shown(journal.root))"))
    common.remark(
      localized(
        "Set up the clone: \(counted(entries, "entry", "entries")); git now merges entries the way "
          + "Diary does."))
  }

  private func connect(_ journal: Journal, _ url: String) async throws {
    let outcome = try await journal.addRemote(url)
    SyncReport.tell(outcome, common)
    if !outcome.isComplete { throw ExitCode(1) }
  }

  /// Asks in which repository the journal is kept, when the folder lies in one; `false`: in none.
  private func choosesRepository(_ survey: inout InitSurvey) throws -> Bool {
    let root = Console.named(survey.root)
    guard let around = survey.surrounding.map({ Console.named($0) }) else {
      guard !join else {
        throw DiaryError(
          localized("\(root) is not inside another git repository, so there is nothing to join"),
          kind: .usage,
          hint: localized("remove --join"))
      }
      return true
    }
    common.remark(localized("\(root) is inside the git repository \(around)."))
    if join {
      survey.repository = survey.surrounding
      return true
    }
    if !separate, !yes {
      guard Console.canAsk else {
        throw DiaryError(
          localized(
            "\(survey.root) is inside the git repository \(survey.surrounding ?? ""), and Diary "
              + "cannot ask here whether it may commit to it"),
          hint: localized(
            "--separate creates a repository for the journal, --join commits to that one"))
      }
      if !Console.agrees(localized("Create a separate repository for the journal?"), preset: true) {
        survey.repository = survey.surrounding
        return Console.agrees(localized("Commit the journal to \(around) instead?"), preset: false)
      }
    }
    survey.repository = nil
    return true
  }

  private func agreed(_ survey: InitSurvey) throws -> Bool {
    guard survey.isAdopted else { return true }
    SurveyReport.tell(survey, common)
    if yes { return true }
    guard Console.canAsk else {
      throw DiaryError(
        localized("\(survey.root) already has files, and Diary cannot ask for confirmation here"),
        hint: localized("use --yes to make it a journal; its files are not changed"))
    }
    return Console.agrees(
      localized("Make this folder a journal? Its files are not changed."), preset: true)
  }

  /// Whether what lies uncommitted in somebody's repository becomes part of Diary's first commit.
  private func takes(_ uncommitted: [EntryPath], _ survey: InitSurvey) throws -> Bool {
    guard survey.repository != nil, !uncommitted.isEmpty else { return true }
    if yes { return true }
    common.remark(
      counted(uncommitted.count, "entry is not committed:", "entries are not committed:"))
    for path in uncommitted.prefix(10) { common.remark("  " + Console.named(path.text)) }
    if uncommitted.count > 10 { common.remark(localized("  and \(uncommitted.count - 10) more")) }
    return Console.agrees(localized("Commit them now?"), preset: false)
  }

  private func report(_ outcome: InitOutcome, _ survey: InitSurvey) {
    Console.say(localized("Journal: \(Console.shown(outcome.root))"))
    if outcome.madeRepository { common.remark(localized("Created a git repository there.")) }
    if outcome.entries == 0, survey.isAdopted {
      common.remark(localized("It has no entries yet."))
    } else if outcome.entries > 0 {
      common.remark(localized("\(counted(outcome.entries, "entry", "entries")) found."))
    }
    SaveReport.tell(outcome.save, common)
    common.remark(localized("`diary new` starts an entry; `diary watch` saves while you write."))
  }

  private func askForPlace(_ environment: RuntimeEnvironment) async throws {
    if let place { return try await WeatherPlace.set(place, environment, common) }
    let settled = Journal.personalSettings(environment)
    guard Console.canAsk, !yes, settled.place == nil, settled.weatherProvider != .off else {
      return
    }
    common.remark(
      paragraph: localized(
        "Add the weather to new entries? Type a town or coordinates, or press Enter to "
          + "skip. Diary sends the name of a town, and then your position rounded to about 1 km, to "
          + "Open-Meteo."))
    let answer = Console.ask(localized("Where are you? ")) ?? ""
    if answer.allSatisfy(\.isWhitespace) {
      try Journal.declineWeather(environment)
      return common.remark(localized("The weather is off; `diary weather on PLACE` turns it on."))
    }
    do {
      try await WeatherPlace.set(answer, environment, common)
    } catch {
      // The journal is made; only the question is left open.
      Console.tell(DiaryError(error))
      common.remark(localized("The journal works without it. To try again: diary weather on PLACE"))
    }
  }
}

/// Consent and place, for `init` and `weather on`.
enum WeatherPlace {
  static func set(_ name: String, _ environment: RuntimeEnvironment, _ common: CommonOptions)
    async throws
  {
    let isName = Place(coordinates: name) == nil
    if isName {
      common.remark(
        localized("Looking up \"\(Console.named(name))\", which sends the name to the provider."))
    }
    let found = try await Journal.lookUp(name, Journal.personalSettings(environment), environment)
    let place = try choose(from: found)
    try Journal.setPlace(place, environment)
    let shown = place.name.map { Console.shown($0) + " " } ?? ""
    let position = String(format: "(%.2f, %.2f)", place.latitude, place.longitude)
    Console.say(
      localized("Weather on: \(shown)\(position)"))
  }

  private static func choose(from places: [Place]) throws -> Place {
    guard places.count > 1, Console.canAsk else {
      guard let place = places.first else { throw DiaryError.weatherIsOff }
      return place
    }
    for (index, place) in places.prefix(9).enumerated() {
      Console.note("  \(index + 1)  \(Console.named(place.name ?? ""))")
    }
    let answer = Console.ask(localized("Which one? [1] ")) ?? ""
    let number = answer.isEmpty ? 1 : Int(answer) ?? 0
    guard (1...min(9, places.count)).contains(number) else {
      throw DiaryError(localized("no place chosen; the weather setting is unchanged"))
    }
    return places[number - 1]
  }
}
