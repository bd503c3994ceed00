import Foundation

/// Where the sky is looked at; personal, never shared.
package struct Place: Hashable, Sendable, Codable {
  /// The name that the writer gave, for eyes.
  package var name: String?
  /// Degrees, rounded to two decimals before they leave the machine.
  package var latitude: Double
  /// Degrees, east positive.
  package var longitude: Double

  package init(name: String?, latitude: Double, longitude: Double) {
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// The journal's settings: the shared file, overlaid by the personal one, overlaid by the environment.
package struct Settings: Sendable, Equatable {
  /// Where a title may come from, in the order that counts.
  package enum TitleSource: String, Sendable, CaseIterable { case header, h1, line, name }
  /// Which providers can look at the sky; `command` runs `weatherCommand` in the hook's place.
  package enum WeatherProvider: String, Sendable, CaseIterable {
    case openMeteo = "open-meteo"
    case openWeather = "openweather"
    case command
    case off
  }
  /// `all`: every file that is not hidden, ignored or secret; `entries`: entries and what they refer to.
  package enum SavedFiles: String, Sendable, CaseIterable { case all, entries }
  /// `all`: new files without a header get one; `new`: only what `diary new` made.
  package enum StampedFiles: String, Sendable, CaseIterable { case all, new }

  // Shared.
  /// IANA name; the zone of dates without one. `nil`: the machine's.
  package var timeZone: String?
  /// Patterns of the Markdown files that are entries.
  package var include = ["**"]
  /// Patterns of those that are not.
  package var exclude: [String] = []
  /// Where titles come from.
  package var titles: [TitleSource] = [.header, .h1, .line, .name]
  /// Seconds since midnight at which the diary's day begins, 0 to 43 200.
  package var dayStartsAt = 0
  /// The pattern of new entries' paths (``PathTemplate``).
  package var layout = "{year}/{month}/{date}-{slug}.md"
  /// The pattern of the one entry of a day that has no title (``PathTemplate``); `nil`: each such entry has a
  /// file of its own, by ``layout``.
  package var dailyNote: String?
  /// The bare name of the template of new entries.
  package var template = "plain"
  /// Whether `new` and `add` end with what was written on this day in earlier years.
  package var onThisDay = false
  /// `nil`: no list on disk.
  package var indexFile: EntryPath? = EntryPath("INDEX.md")
  /// Whether that list is kept in git.
  package var indexIsCommitted = false
  /// Seconds without another write before a file counts as settled, 0.05 to 60.
  package var settle = 2.0
  /// Seconds after the first write at which a file is saved at the latest, `settle` to 600.
  package var longest = 30.0
  /// Seconds without a save that end a sitting, 0 to 86 400; 0: every save is a commit.
  package var sitting = 300.0
  /// How temperatures are written and shown.
  package var units = Units.metric
  /// Name of the remote that sync uses.
  package var syncRemote = "origin"
  /// Seconds from the end of a sitting to its push.
  package var pushAfter = 60.0
  /// Seconds between fetches.
  package var fetchEvery = 300.0
  /// Seconds after which one fetch or push is given up.
  package var syncTimeout = 600.0

  // Personal only.
  /// The personal journal's folder, as it was written (`~/diary`).
  package var journal: String?
  /// Folders of journals by name, as they were written.
  package var journals: [String: String] = [:]
  /// Where the sky is looked at; `nil`: nowhere, nothing is sent.
  package var place: Place?
  /// Who is asked about the sky.
  package var weatherProvider = WeatherProvider.openMeteo
  /// A base URL in place of the provider's own.
  package var weatherURL: String?
  /// Program and arguments for the provider `command`.
  package var weatherCommand: [String] = []
  /// A secret, never from a shared file.
  package var openWeatherKey: String?
  /// `nil`: `all` in a journal that Diary made, else `entries`.
  package var savedFiles: SavedFiles?
  /// `nil`: `all` in a journal that Diary made, else `new`.
  package var stampedFiles: StampedFiles?
  /// Whether `watch --sync` may push from a repository that is not Diary's own.
  package var syncsAdopted = false
  /// Program and arguments by the name of the moment (`new`).
  package var hooks: [String: [String]] = [:]
  /// The editor's command line.
  package var editor: String?

  /// The defaults.
  package init() {}
}

/// A setting that was refused or could not be read; the default is used in its place.
package struct SettingsProblem: Hashable, Sendable {
  /// The file, or the variable, that holds it, as the reader knows it.
  package var source: String
  /// 1 for the first line, when known.
  package var line: Int?
  /// One sentence: what is wrong, and what is used instead.
  package var message: String

  package init(source: String, line: Int?, message: String) {
    self.source = source
    self.line = line
    self.message = message
  }
}
