import Foundation

/// The place for which weather is requested. Personal, never shared.
package struct Place: Hashable, Sendable, Codable {
  /// The name given by the user, for display only.
  package var name: String?
  /// Degrees, rounded to two decimals before they are sent.
  package var latitude: Double
  /// Degrees, positive to the east.
  package var longitude: Double

  package init(name: String?, latitude: Double, longitude: Double) {
    self.name = name
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// The effective settings of a journal: the shared file, the personal one and the environment.
package struct Settings: Sendable, Equatable {
  /// The possible sources of a title. Their order in ``titles`` is the priority.
  package enum TitleSource: String, Sendable, CaseIterable { case header, h1, line, name }
  /// The weather providers. `command` runs `weatherCommand` in place of the hook.
  package enum WeatherProvider: String, Sendable, CaseIterable {
    case openMeteo = "open-meteo"
    case openWeather = "openweather"
    case command
    case off
  }
  /// `all`: files not hidden, ignored or secret. `entries`: entries and the files they refer to.
  package enum SavedFiles: String, Sendable, CaseIterable { case all, entries }
  /// `all`: new files without a header get one. `new`: only entries from `diary new`.
  package enum StampedFiles: String, Sendable, CaseIterable { case all, new }

  /// The characters that make the word behind them a tag.
  package enum TagMarks: String, Sendable, CaseIterable {
    case hash = "#"
    case at = "@"
    case both = "#@"

    package var hasHash: Bool { self != .at }
    package var hasAt: Bool { self != .hash }

    /// The characters as bytes.
    var bytes: [UInt8] { Array(rawValue.utf8) }
  }

  /// True if the journal is a vault of Obsidian, which is seen from its folder, not from a file.
  package var isVault = false

  // Settings from either file.
  /// The IANA name of the zone for dates without one. `nil` means the machine's zone.
  package var timeZone: String?
  /// Patterns of Markdown files that are entries.
  package var include = ["**"]
  /// Patterns of Markdown files that are not entries.
  package var exclude: [String] = []
  package var titles: [TitleSource] = [.header, .h1, .line, .name]
  /// The start of the journal day in seconds since midnight, 0 to 43 200.
  package var dayStartsAt = 0
  /// The ``PathTemplate`` pattern for the paths of new entries.
  package var layout = "{year}/{month}/{date}-{slug}.md"
  /// The ``PathTemplate`` pattern for the one entry a day that has no title. `nil` gives each
  /// untitled entry its own file, named by ``layout``.
  package var dailyNote: String?
  /// The template of new entries, as a name without a path.
  package var template = "plain"
  /// The characters before the tags of a text.
  package var tagMarks = TagMarks.hash
  /// True if `new` and `add` end by showing entries from this day in earlier years.
  package var onThisDay = false
  /// The list file. `nil` means none is written.
  package var indexFile: EntryPath? = EntryPath("INDEX.md")
  /// True if the list file is committed to git.
  package var indexIsCommitted = false
  /// Seconds without a write before a file counts as settled, 0.05 to 60.
  package var settle = 2.0
  /// The maximum delay in seconds between the first write and the save, `settle` to 600.
  package var longest = 30.0
  /// Seconds without a save that end a sitting, 0 to 86 400. 0 makes every save a commit.
  package var sitting = 300.0
  /// The units of temperatures in entries and output.
  package var units = Units.metric
  /// The name of the remote for sync.
  package var syncRemote = "origin"
  /// Seconds from the end of a sitting to its push.
  package var pushAfter = 60.0
  /// Seconds between fetches.
  package var fetchEvery = 300.0
  /// The timeout of one fetch or push in seconds.
  package var syncTimeout = 600.0

  // Settings from the personal file only.
  /// The folder of the personal journal, as written (`~/diary`).
  package var journal: String?
  /// Folders of journals by name, as written.
  package var journals: [String: String] = [:]
  /// The place for which weather is requested. `nil` means that no request is sent.
  package var place: Place?
  package var weatherProvider = WeatherProvider.openMeteo
  /// A base URL that replaces the provider's own.
  package var weatherURL: String?
  /// The program and arguments of the provider `command`.
  package var weatherCommand: [String] = []
  /// The command line that prints the password of a locked journal.
  package var passwordCommand: String?
  /// Seconds without use after which an unlocked journal locks itself; 0 means never.
  package var lockWhenIdle = 0.0
  /// The OpenWeather key. A secret, never read from a shared file.
  package var openWeatherKey: String?
  /// `nil` means `all` in a journal created by Diary, otherwise `entries`.
  package var savedFiles: SavedFiles?
  /// `nil` means `all` in a journal created by Diary, otherwise `new`.
  package var stampedFiles: StampedFiles?
  /// True if `watch --sync` may push from a repository that Diary did not create.
  package var syncsAdopted = false
  /// The editor's command line.
  package var editor: String?

  package init() {}
}

/// A setting that was rejected or could not be read. The default is used instead.
package struct SettingsProblem: Hashable, Sendable {
  /// The file or environment variable that contains it, in a form that the user recognizes.
  package var source: String
  /// 1 for the first line, if known.
  package var line: Int?
  /// One sentence: the problem, and the value used instead.
  package var message: String

  package init(source: String, line: Int?, message: String) {
    self.source = source
    self.line = line
    self.message = message
  }
}
