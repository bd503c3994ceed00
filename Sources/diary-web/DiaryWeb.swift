// diary-web: serves the page of a journal on loopback. Only `diary web` starts it; the help of that
// command describes its options.

import ArgumentParser
import DiaryKit
import Dispatch
import Foundation
import Glibc
import Localization
import Synchronization
import WebPage

/// The entry point of the program.
package struct DiaryWeb: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "diary-web", shouldDisplay: false)

  @Argument var root: String
  @Option var port: Int?
  @Flag var noOpen = false
  @Flag var readOnly = false
  @Flag var forget = false
  @Flag var untilClosed = false
  @Flag var quiet = false

  package init() {}

  /// Runs the program with its arguments.
  package static func main(_ arguments: () throws -> [String]) -> Never {
    Translation.select(ProcessInfo.processInfo.environment)
    // A closed terminal must not end the server before it has saved.
    signal(SIGPIPE, SIG_IGN)
    // Nor a write beyond `ulimit -f`: it fails with a reason.
    signal(SIGXFSZ) { _ in }
    // Nor may it be ignored that a program has ended: it would have no exit code.
    signal(SIGCHLD, SIG_DFL)
    // `diary lock` may ask before the page is served; it asks again.
    signal(SIGUSR1, SIG_IGN)
    do {
      let command = try parse(try arguments())
      // Swift's own threads wake up every second. None has started yet.
      let hasWaited = command.waitUntilUnlocked()
      Task {
        // A watcher that has waited, too, goes first: a page can also be served beside it.
        if hasWaited { try? await Task.sleep(for: .seconds(1)) }
        await command.serveAndExit()
      }
      dispatchMain()
    } catch {
      exit(withError: error)
    }
  }

  /// Blocks while the journal is locked. Returns false if it was not.
  private func waitUntilUnlocked() -> Bool {
    EncryptedFolder(root).waitForTurn()
    // Otherwise `diary web` has found a journal there.
    guard (try? AvailableFolder(root, .current())) == nil || EncryptedFolder(root).state != .plain
    else { return false }
    let unlock = AvailableFolder.command("unlock", for: root, .current())
    AvailableFolder.waitForJournal(at: root, .current()) { _ in
      printNotice(localized("\(root) is locked; waiting for `\(unlock)`"))
    }
    return true
  }

  private func serveAndExit() async -> Never {
    do {
      try await run()
      Glibc.exit(0)
    } catch let error as DiaryError {
      Self.printLine("diary: " + error.message, to: STDERR_FILENO)
      for detail in error.details { Self.printLine("  " + detail, to: STDERR_FILENO) }
      if let hint = error.hint { Self.printLine(localized("hint: \(hint)"), to: STDERR_FILENO) }
      Glibc.exit(error.kind == .usage ? 64 : error.kind == .locked ? 3 : 1)
    } catch {
      Self.exit(withError: error)
    }
  }

  /// Serves the page, and waits while the journal is locked.
  package func run() async throws {
    do { try await serve() } catch {
      // It can be locked at any moment, and gocryptfs may also have ended by itself.
      let isLocked = (try? AvailableFolder(root, .current())) == nil
      guard isLocked || DiaryError(error).kind == .locked, !forget else { throw error }
      try letGo()
    }
  }

  private func serve() async throws {
    let journal = try Journal(root: root, environment: .current())
    if forget {
      try await WebService.endAllSessions(in: journal)
      return printNotice(localized("signed out all browsers"))
    }
    if let link = try await WebService.linkFromRunningServer(for: journal) {
      printNotice(localized("`diary web` is already running; this is a new link to it"))
      return await show(link, journal)
    }
    var options = PageOptions()
    options.isReadOnly = readOnly
    options.endsWithLastPage = untilClosed
    let service = try WebService(journal, options: options) { printNotice($0) }
    if EncryptedFolder(root).state == .unlocked { prepareToLetGo() }
    let mustLetGo = Atomic(false)
    let mustEnd = Atomic(false)
    let numbers = [SIGINT, SIGTERM, SIGHUP, SIGUSR1].filter { $0 != SIGHUP || !isIgnored($0) }
    let sources = numbers.map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        guard number == SIGUSR1 else {
          mustEnd.store(true, ordering: .relaxed)
          return service.stop()
        }
        // `diary lock` asks for it.
        if !mustLetGo.exchange(true, ordering: .relaxed) { service.letGo() }
      }
      source.resume()
      return source
    }
    do { try await service.run(port: port) { link in await show(link, journal) } } catch {
      // For a page that ends, a journal that is locked is no error.
      let isLocked = (try? AvailableFolder(root, .current())) == nil
      guard isLocked, mustEnd.load(ordering: .relaxed) else { throw error }
    }
    withExtendedLifetime(sources) {}
    if mustLetGo.load(ordering: .relaxed), !mustEnd.load(ordering: .relaxed) { try letGo() }
  }

  /// Closes the journal, and waits until it is unlocked.
  private func letGo() throws -> Never {
    // It can have been plain until `diary encrypt`.
    prepareToLetGo()
    try EncryptedFolder.letGo()
  }

  /// Prepares the process that serves the page again when the journal is unlocked. It starts after a
  /// watcher that waits, too.
  private func prepareToLetGo() {
    let (program, places) = RuntimeEnvironment.current().diaryProgram("diary-web")
    let options = [
      ("--read-only", readOnly), ("--until-closed", untilClosed), ("--quiet", quiet),
    ]
    EncryptedFolder.prepareToLetGo(
      continuingWith: [program ?? places[0], root, "--no-open"]
        + (port.map { ["--port", "\($0)"] } ?? []) + options.filter(\.1).map(\.0), after: 2)
  }

  private func show(_ link: String, _ journal: Journal) async {
    Self.printLine(link, to: STDOUT_FILENO)
    let shouldOpen = !noOpen && isatty(STDOUT_FILENO) == 1
    if shouldOpen, await !journal.openInBrowser(link) {
      printNotice(localized("open the link in a browser within a minute; it works once"))
    }
  }

  private func printNotice(_ text: String) { if !quiet { Self.printLine(text, to: STDERR_FILENO) } }

  private static func printLine(_ text: String, to descriptor: Int32) {
    let line = Array((text + "\n").utf8)
    _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
  }
}
