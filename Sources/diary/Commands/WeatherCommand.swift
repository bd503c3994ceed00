import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation

struct WeatherCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "weather", abstract: "The weather in entries: where, whether, and of old ones.",
    subcommands: [Now.self, On.self, Off.self, Stamp.self, Fill.self], defaultSubcommand: Now.self)

  struct Now: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show the weather of this moment.")
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let (place, weather, isNight) = try await common.open().weatherNow()
      let name = place.name.map { Console.shown($0) + ": " } ?? ""
      Console.say("\(name)\(weather.icon(isNight: isNight)) \(weather.text)")
    }
  }

  struct On: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say where you are; from then on new entries note the weather.",
      discussion: """
        A name is sent to the provider to be looked up; then only the position, rounded to about a \
        kilometre. It is kept in the personal settings of this device.
        """)
    @Argument(
      help: ArgumentHelp("A name, or coordinates such as 37.57,126.98.", valueName: "place"))
    var place: [String]
    @OptionGroup var common: CommonOptions

    func run() async throws {
      try await WeatherPlace.set(place.joined(separator: " "), Surroundings.real(), common)
    }
  }

  struct Off: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Send nothing any more.")
    @OptionGroup var common: CommonOptions

    func run() async throws {
      try Journal.forgetPlace(Surroundings.real())
      Console.say("Weather off: nothing is sent any more.")
    }
  }

  struct Stamp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write the weather of its time and place into an entry that lacks it.")
    @Argument(help: ArgumentHelp("A number, a date, a path or words of a title.", valueName: "ref"))
    var reference: [String]
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let journal = try common.open(writing: true)
      let entry = try await journal.resolve(reference.joined(separator: " "), .unique)
      let text = try await journal.stamp(entry.path)
      Console.say("\(Console.shown(entry.path.text)): \(text)")
    }
  }

  struct Fill: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Write the weather of their days into old entries that lack it.")
    @Option(
      parsing: .unconditional,
      help: ArgumentHelp("The sky of entries that name no place of their own.", valueName: "place"))
    var place: String?
    @Flag(help: "Do not ask before sending.")
    var yes = false
    @OptionGroup var common: CommonOptions

    func run() async throws {
      let journal = try common.open(writing: true)
      var sky: Place?
      if let place {
        if Place(coordinates: place) == nil {
          common.remark("Looking up \"\(Console.named(place))\": the name is sent to the provider.")
        }
        sky = try await journal.lookUp(place).first
      }
      let plan = try await journal.planFill(place: sky)
      tell(plan)
      guard plan.entries > 0 else { return }
      if !yes {
        guard Console.canAsk else {
          throw DiaryError("nobody can be asked whether to send this", hint: "add --yes")
        }
        guard Console.agrees("Send?", preset: true) else {
          common.remark("Nothing was sent.")
          return
        }
      }
      let bar = ProgressLine("Filling")
      defer { bar.end() }
      let done = try await journal.fill(plan) { bar.update($0, $1) }
      bar.end()
      SaveReport.tell(done.outcome, common)
      Console.say(
        "Stamped \(done.stamped.count) of \(Console.counted(plan.entries, "entry", "entries")).")
    }

    private func tell(_ plan: FillPlan) {
      for part in plan.parts {
        let name = part.place.name.map { Console.shown($0) + " " } ?? ""
        let days =
          part.first == part.last ? "\(part.first)" : "\(part.first) to \(part.last)"
        let position = String(format: "(%.2f, %.2f)", part.place.latitude, part.place.longitude)
        common.remark(
          "\(plan.provider): \(name)\(position), \(days), "
            + Console.counted(part.entries.count, "entry, ", "entries, ")
            + Console.counted(part.requests, "request", "requests"))
      }
      if plan.passedOver > 0 {
        common.remark(
          Console.counted(
            plan.passedOver, "entry lacks its weather and is", "entries lack their weather and are")
            + " passed over: no date, or no place that is known; "
            + "--place PLACE says where they were written")
      } else if plan.entries == 0 {
        common.remark("No entry lacks its weather.")
      }
    }
  }
}
