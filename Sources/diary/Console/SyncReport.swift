import DiaryCore
import DiaryKit

/// What an exchange with the remote has come to, in words.
enum SyncReport {
  static func tell(_ outcome: SyncOutcome, _ common: CommonOptions) {
    common.remark(summary(outcome) + ".")
    for path in outcome.keptBoth.prefix(10) {
      common.remark("Review \(Console.named(path.text)): two devices changed it in one place.")
    }
    if outcome.keptBoth.count > 10 {
      common.remark("And in \(outcome.keptBoth.count - 10) more; `diary status` lists them.")
    }
    for file in outcome.waiting.prefix(10) {
      common.remark("Waits: \(Console.named(file.path.text)) \(Console.named(file.reason))")
    }
    if outcome.waiting.count > 10 { common.remark("And \(outcome.waiting.count - 10) more wait.") }
  }

  /// One clause, for the watcher's log, too.
  static func summary(_ outcome: SyncOutcome) -> String {
    let remote = "\"\(Console.named(outcome.remote))\""
    var parts: [String] = []
    if outcome.received > 0 {
      parts.append("received " + Console.counted(outcome.received, "commit", "commits"))
    }
    if outcome.joined {
      parts.append("joined two journals that began apart")
    } else if outcome.merged {
      parts.append("merged")
    }
    if outcome.sent > 0 {
      parts.append("sent " + Console.counted(outcome.sent, "commit", "commits"))
    }
    let what = parts.isEmpty ? "nothing new" : parts.joined(separator: ", ")
    return (outcome.isComplete ? "In sync with " : "Synced with ") + remote + ": " + what
  }

  static func tell(_ finished: FinishedByHand, _ common: CommonOptions) {
    for path in finished.resolved.prefix(10) {
      common.remark("Merged: \(Console.named(path.text))")
    }
    for path in finished.keptBoth.prefix(10) {
      common.remark("Review \(Console.named(path.text)): two devices changed it in one place.")
    }
    if let operation = finished.operation { common.remark("The \(operation) is finished.") }
  }
}
