import DiaryCore
import DiaryKit

/// What an exchange with the remote has come to, in words.
enum SyncReport {
  static func tell(_ outcome: SyncOutcome, _ common: CommonOptions) {
    common.remark(summary(outcome) + ".")
    for path in outcome.keptBoth.prefix(10) {
      common.remark("Review \(Console.named(path.text)): two devices changed the same part.")
    }
    if outcome.keptBoth.count > 10 {
      common.remark("And \(outcome.keptBoth.count - 10) more; `diary status` lists them.")
    }
    for file in outcome.waiting.prefix(10) {
      common.remark(
        "Not updated yet: \(Console.named(file.path.text)) \(Console.named(file.reason))")
    }
    if outcome.waiting.count > 10 { common.remark("And \(outcome.waiting.count - 10) more.") }
  }

  /// One clause, for the watcher's log, too.
  static func summary(_ outcome: SyncOutcome) -> String {
    let remote = "\"\(Console.named(outcome.remote))\""
    var parts: [String] = []
    if outcome.received > 0 {
      parts.append("received " + Console.counted(outcome.received, "commit", "commits"))
    }
    if outcome.joined {
      parts.append("merged two separate journals")
    } else if outcome.merged {
      parts.append("merged")
    }
    if outcome.sent > 0 {
      parts.append("pushed " + Console.counted(outcome.sent, "commit", "commits"))
    }
    let what = parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")
    return (outcome.isComplete ? "In sync with " : "Synced with ") + remote + ": " + what
  }

  static func tell(_ finished: ConflictResolution, _ common: CommonOptions) {
    for path in finished.resolved.prefix(10) {
      common.remark("Merged: \(Console.named(path.text))")
    }
    for path in finished.keptBoth.prefix(10) {
      common.remark("Review \(Console.named(path.text)): two devices changed the same part.")
    }
    if let operation = finished.operation { common.remark("The \(operation) is finished.") }
  }
}
