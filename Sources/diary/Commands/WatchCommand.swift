import ArgumentParser
import DiaryCore
import DiaryKit
import Dispatch
import Foundation
import Glibc

struct WatchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "watch", abstract: "Save every change as it settles, until interrupted.",
    discussion: "Interrupting it (Ctrl-C, or a service's stop) saves what is pending first.")

  @Flag(help: "Exchange with the git remote, too, soon after a sitting and every few minutes.")
  var sync = false
  @Flag(name: [.short, .long], help: "Log its end, too.")
  var verbose = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    // A closed log must not end the watcher.
    signal(SIGPIPE, SIG_IGN)
    let journal = try common.open(writing: true)
    if sync { try await journal.refuseUnaskedSync() }
    let log = WatchLog(isQuiet: common.quiet, isVerbose: verbose)
    let autosave = try Autosave(journal, syncing: sync, on: WorkThread.main) { log.tell($0) }
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

  func tell(_ news: WatchNews) {
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

  private func isTrouble(_ news: WatchNews) -> Bool {
    switch news {
    case .trouble, .returned, .waiting, .missing, .leftOut, .conflictCopies, .mended, .syncWaits:
      true
    default: false
    }
  }

  private func text(of news: WatchNews) -> String? {
    func names(_ paths: [String]) -> String {
      let shown = paths.prefix(3).map(Console.named).joined(separator: ", ")
      return paths.count > 3 ? shown + " and \(paths.count - 3) more" : shown
    }
    switch news {
    case .started(let root, let means): return "watching \(Console.named(root)) (\(means))"
    case .returned(let root): return "\(Console.named(root)) is there again; the watcher goes on"
    case .saved(let paths): return "saved " + names(paths.map(\.text))
    case .moved(let paths):
      let pairs = paths.sorted { $0.key < $1.key }
      return "moved " + names(pairs.map { "\($0.key.text) to \($0.value.text)" })
    case .deleted(let paths): return "saved that it was deleted: " + names(paths.map(\.text))
    case .committed(let id, let message, _):
      let subject = message.split(separator: "\n").first.map(String.init) ?? ""
      return "committed \(id.prefix(7)) \(Console.named(subject))"
    case .stamped(let path, let weather):
      return "stamped \(Console.named(path.text))" + (weather.map { ": " + $0 } ?? "")
    case .waiting(let reason): return "the branch waits (\(Console.named(reason))); saves go on"
    case .missing(let paths):
      return "missing, not recorded as deleted: " + names(paths.map(\.text))
    case .leftOut(let left):
      return left.map { "not saved: \(Console.named($0.path.text)) \($0.reason)" }
        .joined(separator: "; ")
    case .conflictCopies(let copies):
      return "conflict copy, not saved: " + names(copies.map(\.path.text))
        + "; hint: `diary check --fix` merges it into its entry"
    case .stagedByWriter(let paths):
      return "staged by you, left to you: " + names(paths.map(\.text))
    case .mended(let what): return Console.named(what)
    case .syncs(let remote): return "syncing with \"\(Console.named(remote))\""
    case .synced(let outcome):
      return SyncReport.summary(outcome).prefix(1).lowercased()
        + SyncReport.summary(outcome).dropFirst()
    case .brought(let paths): return "brought up to date: " + names(paths.map(\.text))
    case .syncWaits(let error):
      return "sync waits: \(Console.named(error.what))"
        + (error.hint.map { "; hint: " + Console.named($0) } ?? "")
    case .trouble(let error): return Console.text(of: error, isStyled: false)
    case .ended: return isVerbose ? "ended" : nil
    }
  }
}
