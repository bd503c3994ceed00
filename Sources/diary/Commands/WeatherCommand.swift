import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Localization

struct WeatherCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weather",
    abstract: localized("Turn weather on or off, and add it to old entries."),
    subcommands: [Now.self, On.self, Off.self, Stamp.self, Fill.self], defaultSubcommand: Now.self)

  struct Now: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Show the current weather."))
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let (place, weather, isNight) = try await common.open().weather.weatherNow()
      let name = place.name.map { Console.escapedOnTerminal($0) + ": " } ?? ""
      Console.print("\(name)\(weather.icon(isNight: isNight)) \(weather.text)")
    }
  }

  struct On: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Set your place and add the weather to new entries."),
      discussion: localized(
        """
        Diary sends a name to the weather provider once, to look it up; after that only the \
        position, rounded to about 1 km. It is stored in your personal settings on this device.
        """))
    @Argument(
      help: ArgumentHelp(
        localized("A town, or coordinates such as 37.57,126.98."), valueName: "place"))
    var place: [String]
    @OptionGroup var common: CommonOptions

    func run() async throws {
      try await WeatherPlace.set(place.joined(separator: " "), RuntimeEnvironment.current(), common)
    }
  }

  struct Off: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: localized("Turn the weather off."))
    @OptionGroup var common: CommonOptions

    func run() async throws {
      try JournalWeather.removePlace(RuntimeEnvironment.current())
      Console.print(localized("Weather off: Diary sends nothing."))
    }
  }

  struct Stamp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Add the weather to one entry."))
    @Argument(
      help: ArgumentHelp(
        localized("A number, a date, a path or words of a title."), valueName: "ref"))
    var reference: [String]
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let journal = try common.open(writing: true)
      let entry = try await journal.catalog.resolve(reference.joined(separator: " "), .mustBeUnique)
      let text = try await journal.weather.stamp(entry.path)
      Console.print("\(Console.escapedOnTerminal(entry.path.text)): \(text)")
    }
  }

  struct Fill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: localized("Add the weather to old entries that have none."))
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp(localized("The place for entries without one."), valueName: "place"))
    var place: String?
    @Flag(help: ArgumentHelp(localized("Do not ask before sending.")))
    var yes = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let journal = try common.open(writing: true)
      var fallbackPlace: Place?
      if let place {
        if Place(coordinates: place) == nil {
          common.printNotice(
            localized(
              "Looking up \"\(Console.escaped(place))\", which sends the name to the provider."))
        }
        fallbackPlace = try await journal.weather.geocode(place).first
      }
      let plan = try await journal.weather.planBackfill(place: fallbackPlace)
      printPlan(plan)
      guard plan.entries > 0 else { return }
      if !yes {
        try Console.requirePrompt(hint: localized("use --yes to send it"))
        guard Console.confirm(localized("Send?"), preset: true) else {
          common.printNotice(localized("Nothing was sent."))
          return
        }
      }
      let bar = ProgressLine(localized("Filling"))
      defer { bar.end() }
      let done = try await journal.weather.backfill(plan) { bar.update($0, $1) }
      bar.end()
      SaveReport.print(done.outcome, common)
      for skipped in done.skipped {
        common.printNotice(
          localized(
            "Skipped: \(Console.escaped(skipped.path.text)) \(Console.escaped(skipped.reason))"))
      }
      Console.print(
        localized("Updated \(done.stamped.count) of \(counted(plan.entries, "entry", "entries"))."))
    }

    private func printPlan(_ plan: BackfillPlan) {
      for part in plan.parts {
        let name = part.place.name.map { Console.escapedOnTerminal($0) + " " } ?? ""
        let days =
          part.first == part.last ? "\(part.first)" : localized("\(part.first) to \(part.last)")
        let position = String(format: "(%.2f, %.2f)", part.place.latitude, part.place.longitude)
        common.printNotice(
          "\(plan.provider): \(name)\(position), \(days), "
            + "\(counted(part.entries.count, "entry", "entries")), "
            + counted(part.requests, "request", "requests"))
      }
      if plan.skippedCount > 0 {
        common.printNotice(
          counted(
            plan.skippedCount,
            "entry has no weather and was skipped: no date, or no known place; "
              + "to set a place: --place PLACE",
            "entries have no weather and were skipped: no date, or no known place; "
              + "to set a place: --place PLACE"))
      } else if plan.entries == 0 {
        common.printNotice(localized("No entry is missing its weather."))
      }
    }
  }
}
