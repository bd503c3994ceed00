import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation

struct InitCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "init", abstract: "Make a journal, or adopt a folder as one.",
    discussion:
      "No file that is there is rewritten: adopting adds the folder .diary and a few lines inside .git."
  )

  @Argument(
    help: ArgumentHelp("The folder; without it, the personal journal.", valueName: "folder"))
  var folder: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where you are, for the weather: a name or coordinates.", valueName: "place")
  )
  var place: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A git remote to exchange with: any address that git takes.", valueName: "url"))
  var remote: String?
  @Flag(help: "Take what is there as proposed, without asking.")
  var yes = false
  @Flag(help: "Inside another git repository: commit to that one.")
  var join = false
  @Flag(help: "Inside another git repository: make a repository of its own.")
  var separate = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if join, separate { throw ValidationError("--join and --separate exclude each other") }
  }

  func run() async throws {
    let world = Surroundings.real()
    let root = folder.map(world.absolute) ?? Journal.location(named: common.journal, world)
    var survey = try await Journal.survey(root, world)
    if survey.isJournal {
      if let remote {
        return try await connect(try Journal(root: root, surroundings: world), remote)
      }
      return try await settle(try Journal(root: root, surroundings: world))
    }
    if let program = survey.syncedBy {
      common.remark(
        "diary: \(Console.named(root)) lies in a folder that \(program) syncs\n"
          + "hint: two programs that copy a git repository file by file can break it; "
          + "keep the journal elsewhere and sync it over a git remote")
    }
    guard try choosesRepository(&survey), try agreed(survey) else {
      common.remark("Nothing was changed.")
      return
    }
    let uncommitted = try await Journal.uncommitted(in: survey, world)
    let taking = try takes(uncommitted, survey)
    let outcome = try await Journal.make(survey, taking: taking, world)
    report(outcome, survey)
    if let around = survey.surrounding, survey.repository == nil {
      common.remark(
        "\(Console.named(around)) shows the folder as untracked; a line in its .git/info/exclude "
          + "hides it.")
    }
    if let remote { try await connect(try Journal(root: root, surroundings: world), remote) }
    try await askForPlace(world)
  }

  /// A journal that git has cloned gets what `diary clone` would have given it.
  private func settle(_ journal: Journal) async throws {
    guard try await journal.isJustCloned() else {
      throw DiaryError(
        "\(journal.root) is a journal already", hint: "`diary status` tells how it stands")
    }
    let entries = try await journal.settleIn()
    Console.say("Journal: \(Console.shown(journal.root))")
    common.remark(
      "git has cloned it; " + Console.counted(entries, "entry is", "entries are")
        + " in the list, and git merges entries as Diary does.")
  }

  private func connect(_ journal: Journal, _ url: String) async throws {
    let outcome = try await journal.addRemote(url)
    SyncReport.tell(outcome, common)
    if !outcome.isComplete { throw ExitCode(1) }
  }

  /// Asks in which repository the journal is kept, when the folder lies in one; `false`: in none.
  private func choosesRepository(_ survey: inout Survey) throws -> Bool {
    let root = Console.named(survey.root)
    guard let around = survey.surrounding.map({ Console.named($0) }) else {
      guard !join else {
        throw DiaryError(
          "\(root) lies in no other git repository, so there is none to join", kind: .usage,
          hint: "leave --join out")
      }
      return true
    }
    common.remark("\(root) lies in the git repository \(around).")
    if join {
      survey.repository = survey.surrounding
      return true
    }
    if !separate, !yes {
      guard Console.canAsk else {
        throw DiaryError(
          "\(survey.root) lies in the git repository \(survey.surrounding ?? ""), and nobody can be "
            + "asked whether Diary may commit there",
          hint: "--separate makes a repository of its own, --join commits to that one")
      }
      if !Console.agrees("Make a repository of its own for the journal?", preset: true) {
        survey.repository = survey.surrounding
        return Console.agrees("Commit the journal to \(around), then?", preset: false)
      }
    }
    survey.repository = nil
    return true
  }

  private func agreed(_ survey: Survey) throws -> Bool {
    guard survey.isAdopted else { return true }
    SurveyReport.tell(survey, common)
    if yes { return true }
    guard Console.canAsk else {
      throw DiaryError(
        "nobody can be asked whether \(survey.root), which holds files already, shall become a "
          + "journal",
        hint: "add --yes to adopt it; no file in it is changed")
    }
    return Console.agrees("Make this folder a journal? No file in it is changed.", preset: true)
  }

  /// Whether what lies uncommitted in somebody's repository becomes part of Diary's first commit.
  private func takes(_ uncommitted: [EntryPath], _ survey: Survey) throws -> Bool {
    guard survey.repository != nil, !uncommitted.isEmpty else { return true }
    if yes { return true }
    common.remark(Console.counted(uncommitted.count, "entry is", "entries are") + " not committed:")
    for path in uncommitted.prefix(10) { common.remark("  " + Console.named(path.text)) }
    if uncommitted.count > 10 { common.remark("  and \(uncommitted.count - 10) more") }
    return Console.agrees("Commit them now?", preset: false)
  }

  private func report(_ outcome: InitOutcome, _ survey: Survey) {
    Console.say("Journal: \(Console.shown(outcome.root))")
    if outcome.madeRepository { common.remark("A git repository was made there.") }
    if outcome.entries == 0, survey.isAdopted {
      common.remark("No file in it is an entry yet.")
    } else if outcome.entries > 0 {
      common.remark(Console.counted(outcome.entries, "entry is", "entries are") + " in the list.")
    }
    SaveReport.tell(outcome.save, common)
    common.remark("`diary new` begins an entry; `diary watch` saves while you write.")
  }

  private func askForPlace(_ world: Surroundings) async throws {
    if let place { return try await WeatherPlace.set(place, world, common) }
    let settled = Journal.personalSettings(world)
    guard Console.canAsk, !yes, settled.place == nil, settled.weatherProvider != .off else {
      return
    }
    common.remark(
      paragraph: "Diary can note the weather of the place in new entries. For that it sends a "
        + "position, rounded to about a kilometre, to Open-Meteo. Coordinates are taken as they "
        + "are; a name is sent to be looked up.")
    let answer = Console.ask("Where are you? (empty: no weather) ") ?? ""
    if answer.allSatisfy(\.isWhitespace) {
      try Journal.declineWeather(world)
      return common.remark("No weather, then; `diary weather on PLACE` turns it on.")
    }
    do {
      try await WeatherPlace.set(answer, world, common)
    } catch {
      // The journal is made; only the question is left open.
      Console.tell(DiaryError(error))
      common.remark("The journal works without; `diary weather on PLACE` asks again.")
    }
  }
}

/// Consent and place, for `init` and `weather on`.
enum WeatherPlace {
  static func set(_ name: String, _ world: Surroundings, _ common: CommonOptions) async throws {
    let isName = Place(coordinates: name) == nil
    if isName {
      common.remark("Looking up \"\(Console.named(name))\": the name is sent to the provider.")
    }
    let found = try await Journal.lookUp(name, Journal.personalSettings(world), world)
    let place = try choose(from: found)
    try Journal.setPlace(place, world)
    let shown = place.name.map { Console.shown($0) + " " } ?? ""
    Console.say(
      "Weather on: " + shown
        + String(format: "(%.2f, %.2f)", place.latitude, place.longitude))
  }

  private static func choose(from places: [Place]) throws -> Place {
    guard places.count > 1, Console.canAsk else {
      guard let place = places.first else { throw DiaryError.weatherIsOff }
      return place
    }
    for (index, place) in places.prefix(9).enumerated() {
      Console.note("  \(index + 1)  \(Console.named(place.name ?? ""))")
    }
    let answer = Console.ask("Which one? [1] ") ?? ""
    let number = answer.isEmpty ? 1 : Int(answer) ?? 0
    guard (1...min(9, places.count)).contains(number) else {
      throw DiaryError("no place was chosen; the weather stays as it was")
    }
    return places[number - 1]
  }
}
