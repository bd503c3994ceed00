import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import Localization

/// The requests and writes of `diary weather fill`, shown before it sends anything.
package struct BackfillPlan: Sendable {
  /// One place, and its entries that lack the weather.
  package struct Part: Sendable {
    package var place: Place
    /// The entries, each with the moment (Unix seconds) of the requested weather.
    package var entries: [(path: EntryPath, moment: Int)]
    /// The earliest day, in UTC.
    package var first: Day
    /// The latest day, in UTC.
    package var last: Day
    /// The number of requests to the provider.
    package var requests: Int
  }

  /// The name of the provider.
  package var provider: String
  /// One part for each place, the oldest first.
  package var parts: [Part]
  /// The number of entries without a date, or with a place that was not looked up.
  package var skippedCount: Int

  /// The number of entries that lack the weather and can get it.
  package var entries: Int { parts.reduce(0) { $0 + $1.entries.count } }
  /// The total number of requests to the provider.
  package var requests: Int { parts.reduce(0) { $0 + $1.requests } }
}

extension JournalWeather {
  /// Finds the entries that lack the weather.
  ///
  /// - Parameter place: the place of entries without one. If it is `nil`, only entries dated within
  ///   a day of now use the settings' place: older ones may be from elsewhere.
  package func planBackfill(place: Place?) async throws -> BackfillPlan {
    guard journal.settings.weatherProvider != .off else { throw DiaryError.weatherIsOff }
    _ = try await journal.catalog.updateIndex()
    var plan = BackfillPlan(
      provider: journal.settings.weatherProvider.rawValue, parts: [], skippedCount: 0)
    var groups: [Place: [(path: EntryPath, moment: Int)]] = [:]
    for listed in try journal.indexDatabase.list(ListFilter()) where listed.weather == nil {
      guard needsWeather(listed.path), let date = listed.date,
        let entry = try entry(at: listed.path)
      else {
        plan.skippedCount += listed.date == nil ? 1 : 0
        continue
      }
      let entryPlace = entry.place == nil ? nil : weatherPlace(for: entry)
      let currentPlace = abs(date.instant - journal.now) <= 86_400 ? journal.settings.place : nil
      guard let chosenPlace = entryPlace ?? (entry.place == nil ? place ?? currentPlace : nil)
      else {
        plan.skippedCount += 1
        continue
      }
      let moment = date.seconds == nil ? date.instant + 12 * 3600 : date.instant
      groups[chosenPlace, default: []].append((listed.path, moment))
    }
    plan.parts = groups.compactMap { place, entries in
      let days = entries.compactMap { EntryDate(instant: $0.moment, offset: 0)?.date }
      guard let first = days.min(), let last = days.max() else { return nil }
      // Requested in whole ranges, so that the provider does not learn the days of the entries.
      let years = Set(days.map(\.components.year)).count
      return BackfillPlan.Part(
        place: place, entries: entries, first: first, last: last, requests: years)
    }
    plan.parts.sort { $0.first < $1.first }
    return plan
  }

  /// Fetches and writes the weather in batches of one year. Each is written before the next
  /// request, so an interrupted fill continues where it stopped. Makes one commit at the end.
  /// Returns also the entries that must not be changed now, each with the reason.
  package func backfill(
    _ plan: BackfillPlan, progress: @Sendable (_ done: Int, _ of: Int) -> Void
  ) async throws -> (stamped: [EntryPath], skipped: [SkippedFile], outcome: SaveOutcome) {
    var filled = FilledEntries()
    var done = 0
    var draft = OperationDraft(
      command: .fill, subject: "the weather of \(History.entryCount(plan.entries))")
    draft.commitBefore = try await journal.history.stateCommitID()
    var failure: DiaryError?
    batches: for part in plan.parts {
      let years = Dictionary(grouping: part.entries) {
        EntryDate(instant: $0.moment, offset: 0)?.date.components.year ?? 0
      }
      for (_, entries) in years.sorted(by: { $0.key < $1.key }) {
        do {
          let answer = try await observations(
            at: entries.map(\.moment), place: part.place, seconds: 60)
          let before = draft
          (filled, draft) = try await journal.locked { [filled] locked in
            var (filled, draft) = (filled, before)
            try await locked.extendOperation(&draft, with: entries.map(\.path))
            await locked.write(answer.known, to: entries, draft.files, &filled)
            return (filled, draft)
          }
          if let refusal = answer.failure { throw DiaryError(refusal, journal.environment) }
        } catch {
          failure = DiaryError(error)
          break batches
        }
        done += entries.count
        progress(done, plan.entries)
      }
    }
    let (stamped, operation) = (filled.stamped, draft)
    let outcome = try await journal.locked {
      try await $0.saveCommandChanges(stamped, as: operation)
    }
    if var failure = failure ?? filled.failure {
      failure.details += filled.skipped.map { "\($0.path.text) \($0.reason)" }
      failure.details.append(
        localized("\(stamped.count) of \(plan.entries) entries got their weather and are saved"))
      failure.hint =
        failure.hint ?? localized("run `diary weather fill` again; it continues where it stopped")
      throw failure
    }
    return (stamped, filled.skipped, outcome)
  }
}

/// The entries of a fill that are done.
struct FilledEntries: Sendable {
  /// The entries that got their weather.
  var stamped: [EntryPath] = []
  /// The entries that must not be changed now.
  var skipped: [SkippedFile] = []
  /// The error of the first entry that could not be written.
  var failure: DiaryError?
}

extension LockedJournal {
  /// Writes what is known into the entries. An error of one entry does not stop the others, and
  /// those before it stay a part of the operation.
  func write(
    _ observations: [Int: WeatherAnswer.Observation], to entries: [(path: EntryPath, moment: Int)],
    _ files: EnteredFiles, _ filled: inout FilledEntries
  ) async {
    for (path, moment) in entries {
      guard let text = observations[moment].flatMap(journal.weather.stampText) else { continue }
      var refusal = files.refusals[path]
      if let file = files.settled[path] {
        do {
          let attempt = try await writeStamp(
            file, moment: moment, weather: text, allowsPlainRename: true)
          switch attempt {
          case .written(_, let aside):
            aside?.discard()
            filled.stamped.append(path)
          case .unneeded: break
          case .refused(let now): refusal = now
          }
        } catch {
          filled.failure = filled.failure ?? DiaryError(error)
        }
      }
      if let refusal { filled.skipped.append(SkippedFile(path: path, reason: refusal.reason)) }
    }
  }
}
