import ArgumentParser
import DiaryCore
import DiaryKit
import Dispatch
import Foundation
import Glibc
import Localization

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "watch", abstract: localized("Save every change automatically, until interrupted."),
    discussion: localized("Ctrl-C, or stopping the service, saves pending changes first."))

  @Flag(
    help: ArgumentHelp(
      localized("Also sync with the git remote, after each commit and every few minutes.")))
  var sync = false
  @Flag(name: [.short, .long], help: ArgumentHelp(localized("Also log when the watcher ends.")))
  var verbose = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    // A closed log must not end the watcher.
    signal(SIGPIPE, SIG_IGN)
    let journal = try common.open(writing: true)
    if sync { try await journal.requireSyncConsent() }
    let log = WatchLog(isQuiet: common.quiet, isVerbose: verbose)
    let autosave = try Autosave(journal, syncing: sync, on: MainThreadExecutor.main) {
      log.tell($0)
    }
    let queue = DispatchQueue(label: "diary.signals")
    let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { autosave.stop() }
      source.resume()
      return source
    }
    try await autosave.run()
    withExtendedLifetime(sources) {}
  }
}

/// The watcher's log: one line a piece of news, with the time before it.
struct WatchLog: Sendable {
  let isQuiet: Bool
  let isVerbose: Bool

  func tell(_ news: WatchEvent) {
    guard let text = text(of: news) else { return }
    if isQuiet, !isTrouble(news) { return }
    var now = time(nil)
    var local = tm()
    localtime_r(&now, &local)
    let clock = [local.tm_hour, local.tm_min, local.tm_sec].map {
      ($0 < 10 ? "0" : "") + String($0)
    }
    Console.note(clock.joined(separator: ":") + "  " + text)
  }

  private func isTrouble(_ news: WatchEvent) -> Bool {
    switch news {
    case .trouble, .returned, .waiting, .missing, .skipped, .conflictCopies, .mended, .syncFailed:
      true
    // Saves come later then.
    case .started(_, let polling): polling != nil
    default: false
    }
  }

  private func text(of news: WatchEvent) -> String? {
    func names(_ paths: [String]) -> String {
      let shown = paths.prefix(3).map(Console.named).joined(separator: ", ")
      return paths.count > 3 ? localized("\(shown) and \(paths.count - 3) more") : shown
    }
    switch news {
    case .started(let root, let polling):
      return localized("watching \(Console.named(root)) (\(Console.named(polling ?? "inotify")))")
    case .returned(let root):
      return localized("\(Console.named(root)) is back; the watcher continues")
    case .saved(let paths): return localized("saved \(names(paths.map(\.text)))")
    case .moved(let paths):
      let pairs = paths.sorted { $0.key < $1.key }
      let moves = names(pairs.map { localized("\($0.key.text) to \($0.value.text)") })
      return localized("moved \(moves)")
    case .deleted(let paths): return localized("saved as deleted: \(names(paths.map(\.text)))")
    case .committed(let id, let message, _):
      let subject = message.split(separator: "\n").first.map(String.init) ?? ""
      return localized("committed \(id.prefix(7)) \(Console.named(subject))")
    case .stamped(let path, let weather):
      guard let weather else { return localized("added the date to \(Console.named(path.text))") }
      return localized("added the weather to \(Console.named(path.text)): \(weather)")
    case .waiting(let reason):
      return
        localized(
          "commits are on hold (\(Console.named(DeferredCommit.message(of: reason)))); saves go on")
    case .missing(let paths):
      return localized("missing, not recorded as deleted: \(names(paths.map(\.text)))")
    case .skipped(let left):
      return left.map { localized("not saved: \(Console.named($0.path.text)) \($0.reason)") }
        .joined(separator: "; ")
    case .conflictCopies(let copies):
      return localized(
        "conflict copy, not saved: \(names(copies.map(\.path.text))); hint: `diary check --fix` merges "
          + "it into its entry")
    case .stagedByWriter(let paths):
      return localized("staged by you, not committed by Diary: \(names(paths.map(\.text)))")
    case .mended(let what): return Console.named(what)
    case .syncRecovered(let remote): return localized("syncing with \"\(Console.named(remote))\"")
    case .synced(let outcome):
      return SyncReport.summary(outcome).prefix(1).lowercased()
        + SyncReport.summary(outcome).dropFirst()
    case .filesUpdated(let paths):
      return localized("updated from the remote: \(names(paths.map(\.text)))")
    case .syncFailed(let error):
      return localized("sync failed, will retry: \(Console.named(error.what))")
        + (error.hint.map { localized("; hint: \(Console.named($0))") } ?? "")
    case .trouble(let error): return Console.text(of: error, isStyled: false)
    case .ended: return isVerbose ? localized("ended") : nil
    }
  }
}
