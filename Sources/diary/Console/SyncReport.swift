import DiaryCore
import DiaryKit
import Localization

/// Prints the result of a sync.
enum SyncReport {
  static func print(_ outcome: SyncOutcome, _ common: CommonOptions) {
    common.printNotice(summary(outcome) + ".")
    if let error = outcome.otherAddressError { Console.printError(error) }
    printReviews(outcome.keptBoth, common)
    if outcome.keptBoth.count > 10 {
      common.printNotice(
        localized("And \(outcome.keptBoth.count - 10) more; `diary status` lists them."))
    }
    for file in outcome.waitingCheckouts.prefix(10) {
      common.printNotice(
        localized(
          "Not updated yet: \(Console.escaped(file.path.text)) \(Console.escaped(file.reason))")
      )
    }
    if outcome.waitingCheckouts.count > 10 {
      common.printNotice(localized("And \(outcome.waitingCheckouts.count - 10) more."))
    }
  }

  /// A summary in one clause, also for the watcher's log.
  static func summary(_ outcome: SyncOutcome) -> String {
    let remote = "\"\(Console.escaped(outcome.remote))\""
    var parts: [String] = []
    if outcome.received > 0 {
      parts.append(
        localized("received \(counted(outcome.received, "commit", "commits"))"))
    }
    if outcome.hasJoinedHistories {
      parts.append(localized("merged two separate journals"))
    } else if outcome.hasMerged {
      parts.append(localized("merged"))
    }
    if outcome.sent > 0 {
      parts.append(localized("pushed \(counted(outcome.sent, "commit", "commits"))"))
    }
    let result = parts.isEmpty ? localized("nothing new") : parts.joined(separator: ", ")
    return outcome.isComplete
      ? localized("In sync with \(remote): \(result)")
      : localized("Synced with \(remote): \(result)")
  }

  private static func printReviews(_ paths: [EntryPath], _ common: CommonOptions) {
    for path in paths.prefix(10) {
      common.printNotice(
        localized("Review \(Console.escaped(path.text)): two devices changed the same part."))
    }
  }
}
