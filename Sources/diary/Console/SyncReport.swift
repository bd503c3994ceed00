import DiaryCore
import DiaryKit
import Localization

/// What an exchange with the remote has come to, in words.
enum SyncReport {
  static func tell(_ outcome: SyncOutcome, _ common: CommonOptions) {
    common.remark(summary(outcome) + ".")
    for path in outcome.keptBoth.prefix(10) {
      common.remark(
        localized("Review \(Console.named(path.text)): two devices changed the same part."))
    }
    if outcome.keptBoth.count > 10 {
      common.remark(
        localized("And \(outcome.keptBoth.count - 10) more; `diary status` lists them."))
    }
    for file in outcome.waiting.prefix(10) {
      common.remark(
        localized("Not updated yet: \(Console.named(file.path.text)) \(Console.named(file.reason))")
      )
    }
    if outcome.waiting.count > 10 {
      common.remark(localized("And \(outcome.waiting.count - 10) more."))
    }
  }

  /// One clause, for the watcher's log, too.
  static func summary(_ outcome: SyncOutcome) -> String {
    let remote = "\"\(Console.named(outcome.remote))\""
    var parts: [String] = []
    if outcome.received > 0 {
      parts.append(
        localized("received \(counted(outcome.received, "commit", "commits"))"))
    }
    if outcome.joined {
      parts.append(localized("merged two separate journals"))
    } else if outcome.merged {
      parts.append(localized("merged"))
    }
    if outcome.sent > 0 {
      parts.append(localized("pushed \(counted(outcome.sent, "commit", "commits"))"))
    }
    let what = parts.isEmpty ? localized("nothing new") : parts.joined(separator: ", ")
    return outcome.isComplete
      ? localized("In sync with \(remote): \(what)") : localized("Synced with \(remote): \(what)")
  }

  static func tell(_ finished: ConflictResolution, _ common: CommonOptions) {
    for path in finished.resolved.prefix(10) {
      common.remark(localized("Merged: \(Console.named(path.text))"))
    }
    for path in finished.keptBoth.prefix(10) {
      common.remark(
        localized("Review \(Console.named(path.text)): two devices changed the same part."))
    }
    if let operation = finished.operation {
      common.remark(localized("The \(operation) is finished."))
    }
  }
}
