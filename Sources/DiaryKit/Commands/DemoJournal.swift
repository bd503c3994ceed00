import DiaryCore
import EntryFiles
import Foundation
import Glibc
import Localization

/// The throw-away journal of `diary demo`: a year of a person's life in the user's language, in a
/// temporary folder. Beside it are a second device's copy and the remote of both.
package struct DemoJournal: Sendable {
  /// The temporary folder.
  package let folder: String
  /// The folder of the journal.
  package var root: String { folder + "/diary" }

  /// Makes the journal by the steps of the ordinary commands. The user's settings are not read.
  package static func create(_ environment: RuntimeEnvironment) async throws -> DemoJournal {
    let place = environment.variables["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
    var name = Array((place + "/diary-demo-XXXXXX").utf8CString)
    guard mkdtemp(&name) != nil else {
      throw DiaryError(
        localized("cannot make a temporary folder: \(String(cString: strerror(errno)))"))
    }
    let bytes = name.dropLast().map { UInt8(bitPattern: $0) }
    let demo = DemoJournal(folder: String(decoding: bytes, as: UTF8.self))
    do { try await demo.fill(environment) } catch {
      try? FileManager.default.removeItem(atPath: demo.folder)
      throw error
    }
    return demo
  }

  /// Removes the folder, unless it has files that the demo did not make, or made otherwise: then it
  /// returns them.
  package func remove() throws -> [String] {
    let made = Set(
      try String(contentsOfFile: marker, encoding: .utf8).split(separator: "\n").map {
        Array($0.utf8)
      })
    let others = files().filter { !made.contains(Array(line(of: $0).utf8)) }
    if others.isEmpty { try FileManager.default.removeItem(atPath: folder) }
    return others
  }

  /// A file as the marker names it: the digest of its bytes, and its name.
  private func line(of name: String) -> String {
    let bytes = FileManager.default.contents(atPath: folder + "/" + name).map { Array($0) }
    return (bytes.map(contentDigest) ?? "-") + " " + name
  }

  /// The environment of the demo: without the settings of the user for Diary and git, and without the
  /// hooks that those name.
  private func isolated(_ environment: RuntimeEnvironment) -> RuntimeEnvironment {
    var environment = environment
    environment.variables = environment.variables.filter { name, _ in
      !name.hasPrefix("DIARY_") && !name.hasPrefix("GIT_")
    }
    environment.variables.merge([
      "XDG_CONFIG_HOME": folder + "/no-settings", "GIT_CONFIG_GLOBAL": "/dev/null",
      "GIT_CONFIG_NOSYSTEM": "1", "GIT_TEMPLATE_DIR": "", "GIT_CONFIG_COUNT": "1",
      "GIT_CONFIG_KEY_0": "core.hooksPath", "GIT_CONFIG_VALUE_0": "/dev/null",
    ]) { $1 }
    return environment
  }

  /// Serves the page of the journal until it is interrupted.
  package func openPage(_ environment: RuntimeEnvironment) async throws -> Int {
    let environment = isolated(environment)
    let journal = try Journal(root: root, environment: environment)
    return try await ProcessRunner(environment: environment).runInteractive(
      shellLine: shellWord(try journal.webProgram()), arguments: [root])
  }

  /// The file with a line for each file that the demo made.
  private var marker: String { folder + "/.diary-demo" }

  /// The files of the folder, without git's.
  private func files() -> [String] {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return names.filter { name in
      let isGits = ["diary/.git/", "laptop/.git/", "stick.git/"].contains(where: name.hasPrefix)
      return !isGits && name != ".diary-demo" && !JournalFinder.isFolder(folder + "/" + name)
    }.sorted()
  }

  private func fill(_ environment: RuntimeEnvironment) async throws {
    let environment = isolated(environment)
    var survey = try await JournalSetup.survey(root, environment)
    survey.repository = nil
    _ = try await JournalSetup.create(from: survey, includingUncommitted: false, environment)
    let journal = try Journal(root: root, environment: environment)
    let parts = DemoEntry.all(today: journal.today, now: journal.now, journal.zone)
    let paths = try await journal.locked { locked in
      try parts.filter { $0.device == nil }.map { try locked.write($0) }
    }
    _ = try await journal.save()

    // The last entry but the newest is changed here and on the laptop, and then synced.
    let git = GitCLI(programs: journal.programs, workTree: nil, timeout: 60)
    let stick = folder + "/stick.git"
    let made = try await git.run(["init", "--quiet", "--bare", "--initial-branch=main", stick])
    guard made.status == 0 else { throw DiaryError(localized("git cannot make \(stick)")) }
    _ = try await journal.remote.addRemote(stick)
    let laptop = folder + "/laptop"
    _ = try await JournalSetup.clone(stick, to: laptop, environment)
    for (device, root) in [("laptop", laptop), ("desk", root)] {
      for part in parts where part.device == device {
        guard let path = paths.first(where: { $0.date == part.date })?.path else { continue }
        // As another program does.
        try Data(part.text.bytes).write(to: URL(fileURLWithPath: root + "/" + path.text))
      }
      _ = try await Journal(root: root, environment: environment).remote.sync()
    }
    try files().map(line).joined(separator: "\n").write(
      toFile: marker, atomically: true, encoding: .utf8)
  }
}

/// An entry of the demo, as it was written or as one of the two devices changed it later.
private struct DemoEntry {
  var date: EntryDate
  /// The device that changed it; `nil` for the first text.
  var device: String?
  var text: EntryText

  private static let texts = ["en": PackageResources.demo_md, "ko": PackageResources.demo_ko_md]

  private static let pictures = [
    "snow.svg": PackageResources.snow_svg, "lake.svg": PackageResources.lake_svg,
    "bread.svg": PackageResources.bread_svg, "눈.svg": PackageResources.snow_svg,
    "저수지.svg": PackageResources.lake_svg, "빵.svg": PackageResources.bread_svg,
  ]

  /// All texts in the user's language. Each stands below a line such as `=== 11-22 21:10`, with the
  /// day (the latest 22 November before today, `year` for a year ago, `-3` for three days ago), the
  /// time and perhaps a device.
  static func all(today: Day, now: Int, _ zone: TimeZone) -> [DemoEntry] {
    let text = String(
      decoding: texts[localized("en")] ?? PackageResources.demo_md, as: UTF8.self)
    return ("\n" + text).split(separator: "\n=== ").compactMap { part in
      let lines = part.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      let words = lines[0].split(separator: " ")
      let clock = words[1].split(separator: ":").compactMap { Int($0) }
      guard let day = day(words[0], today) else { return nil }
      let date = EntryDate(
        wallClock: day, seconds: clock[0] * 3600 + clock[1] * 60, zone: zone)
      let past = date.instant <= now ? date : EntryDate(instant: now, zone: zone) ?? date
      let rendered = Template(name: "", text: String(lines[1])).render(TemplateValues(date: past))
      return DemoEntry(
        date: past, device: words.count > 2 ? String(words[2]) : nil,
        text: EntryText(rendered.bytes).withoutTrailingBlankLines)
    }
  }

  private static func day(_ word: Substring, _ today: Day) -> Day? {
    if let days = Int(word) { return today.adding(days) }
    let (year, month, date) = today.components
    if word == "year" {
      return Day(year: year - 1, month: month, day: date) ?? today.adding(-365)
    }
    let numbers = word.split(separator: "-").compactMap { Int($0) }
    return [year, year - 1].lazy.compactMap { Day(year: $0, month: numbers[0], day: numbers[1]) }
      .first { $0 < today }
  }

  /// The pictures that the text shows.
  var pictures: [(name: String, bytes: [UInt8])] {
    let text = String(decoding: text.bytes, as: UTF8.self)
    return Self.pictures.filter { text.contains("](\($0.key))") }.map { ($0.key, $0.value) }
  }
}

extension LockedJournal {
  /// Creates the file of an entry, with its pictures beside it.
  fileprivate func write(_ entry: DemoEntry) throws -> (date: EntryDate, path: EntryPath) {
    let title = journal.entries.title(of: entry.text, dated: entry.date)
    let path = try createEntry(title: title, date: entry.date, syncsName: false) { _ in
      entry.text.bytes
    }
    for picture in entry.pictures {
      _ = try attach(picture.bytes, named: picture.name, to: path)
    }
    return (entry.date, path)
  }
}
