import Foundation
import Glibc

/// An error that prevents a watcher from saving.
package struct WatcherError: Sendable, Equatable {
  /// Unix seconds.
  package var since: Int
  package var message: String
}

/// The text in a watcher's lock file, for other processes: the process on the first line, an error
/// that prevents it from saving on the second.
struct WatcherStatus: Sendable, Equatable {
  var process: String
  var error: WatcherError?

  init(_ process: String) { self.process = process }

  /// Parses the text of a watcher, also of an older Diary.
  init(parsing text: String) {
    let lines = text.split(separator: "\n", maxSplits: 1)
    process = lines.first.map(String.init) ?? ""
    guard let parts = lines.dropFirst().first?.split(separator: " ", maxSplits: 1),
      parts.count == 2, let since = Int(parts[0])
    else { return }
    error = WatcherError(since: since, message: String(parts[1]))
  }

  var text: String {
    process + (error.map { "\n\($0.since) " + $0.message.replacing("\n", with: " ") } ?? "")
  }

  /// True if the process is suspended (`SIGSTOP`, Ctrl-Z), so that it saves nothing.
  var isSuspended: Bool {
    guard let number = process.split(whereSeparator: { !$0.isNumber }).first,
      let status = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
    else { return false }
    // The state stands behind the program's name, which is in parentheses (proc(5)).
    return status.split(separator: ")").last?.first { $0 != " " } == "T"
  }
}

extension Journal {
  /// What the watcher of this journal wrote into its lock file; `nil` if none is running.
  var watcherStatus: WatcherStatus? {
    ProcessLock.holderText(of: watchLockPath, on: EncryptedFolder(root).lockableFile)
      .map { WatcherStatus(parsing: $0) }
  }

  /// The process that saves and commits what changes in this journal; `nil` if there is none.
  package var runningWatcher: String? {
    guard let status = watcherStatus, !status.isSuspended else { return nil }
    return status.process
  }

  var watchLockPath: String { stateFolder + "/watch.lock" }
}

/// A watcher of another process.
package struct OtherWatcher: Sendable {
  package let process: String
  fileprivate let lockedFile: String

  /// Blocks until the watcher has ended. Nothing in a folder that locks itself is used meanwhile.
  package func waitForEnd() {
    while ProcessLock.holderText(of: lockedFile) != nil { sleep(10) }
  }
}

extension Journal {
  /// The watcher that runs on a folder, or is suspended; `nil` if there is none.
  package static func watcher(
    of root: String, _ environment: RuntimeEnvironment
  ) -> OtherWatcher? {
    guard let journal = try? Journal(root: root, environment: environment),
      let status = journal.watcherStatus
    else { return nil }
    return OtherWatcher(
      process: status.process,
      lockedFile: EncryptedFolder(root).lockableFile ?? journal.watchLockPath)
  }
}
