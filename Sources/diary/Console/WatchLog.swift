import DiaryCore
import DiaryKit
import Glibc
import Localization

/// The watcher's log: one line for each event, which begins with the time.
struct WatchLog: Sendable {
  let isQuiet: Bool
  let isVerbose: Bool
  /// True if it counts files instead of naming them, and leaves out whatever may quote a text.
  let hidesNames: Bool

  func write(_ event: WatchEvent) {
    guard let text = text(of: event) else { return }
    if isQuiet, !isProblem(event) { return }
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    let clock = [local.tm_hour, local.tm_min, local.tm_sec].map {
      ($0 < 10 ? "0" : "") + String($0)
    }
    Console.printNotice(clock.joined(separator: ":") + "  " + text)
  }

  private func isProblem(_ event: WatchEvent) -> Bool {
    switch event {
    case .error, .reopened, .commitDeferred, .missing, .skipped, .conflictCopies, .indexRepaired,
      .syncFailed:
      true
    // Polling delays saves.
    case .started(_, let polling): polling != nil
    default: false
    }
  }

  private func text(of event: WatchEvent) -> String? {
    func names(_ paths: [String]) -> String {
      if hidesNames { return counted(paths.count, "file", "files") }
      let shown = paths.prefix(3).map(Console.escaped).joined(separator: ", ")
      return paths.count > 3 ? localized("\(shown) and \(paths.count - 3) more") : shown
    }
    switch event {
    case .started(let root, let polling):
      return localized(
        "watching \(Console.escaped(root)) (\(Console.escaped(polling ?? "inotify")))")
    case .reopened(let root):
      return localized("\(Console.escaped(root)) is back; the watcher continues")
    case .saved(let paths): return localized("saved \(names(paths.map(\.text)))")
    case .moved(let paths):
      let pairs = paths.sorted { $0.key < $1.key }
      let renames = names(pairs.map { localized("\($0.key.text) to \($0.value.text)") })
      return localized("moved \(renames)")
    case .deleted(let paths): return localized("saved as deleted: \(names(paths.map(\.text)))")
    case .committed(_, _, let paths) where hidesNames:
      return localized("committed \(names(paths.map(\.text)))")
    case .committed(let id, let message, _):
      let subject = localizedSubject(String(message.prefix { $0 != "\n" }))
      return localized("committed \(id.prefix(7)) \(Console.escaped(subject))")
    case .stamped(let path, let weather):
      guard let weather else { return localized("added the date to \(names([path.text]))") }
      if hidesNames { return localized("added the weather to \(names([path.text]))") }
      return localized("added the weather to \(Console.escaped(path.text)): \(weather)")
    case .commitDeferred(let reason):
      return
        localized(
          "commits are on hold "
            + "(\(Console.escaped(reason.message))); saves continue"
        )
    case .missing(let paths):
      return localized("missing, not recorded as deleted: \(names(paths.map(\.text)))")
    case .skipped(let left) where hidesNames:
      return localized("not saved: \(names(left.map(\.path.text))); `diary status` names them")
    case .skipped(let left):
      return left.map { localized("not saved: \(Console.escaped($0.path.text)) \($0.reason)") }
        .joined(separator: "; ")
    case .conflictCopies(let copies):
      return localized(
        "conflict copy, not saved: \(names(copies.map(\.path.text))); hint: `diary check --fix` merges "
          + "it into its entry")
    case .stagedByUser(let paths):
      return localized("staged by you, not committed by Diary: \(names(paths.map(\.text)))")
    case .indexRepaired(let what): return Console.escaped(what)
    case .syncRecovered(let remote): return localized("syncing with \"\(Console.escaped(remote))\"")
    case .synced(let outcome):
      return SyncReport.summary(outcome).prefix(1).lowercased()
        + SyncReport.summary(outcome).dropFirst()
    case .filesUpdated(let paths):
      return localized("updated from the remote: \(names(paths.map(\.text)))")
    case .syncFailed where hidesNames:
      return localized("sync failed, will retry; `diary status` shows why")
    case .error where hidesNames: return localized("an error; `diary status` shows it")
    case .syncFailed(let error):
      return localized("sync failed, will retry: \(Console.escaped(error.message))")
        + (error.hint.map { localized("; hint: \(Console.escaped($0))") } ?? "")
    case .error(let error): return Console.text(of: error, isStyled: false)
    case .editorFileChanged, .savedByOthers: return nil
    case .ended: return isVerbose ? localized("ended") : nil
    }
  }
}
