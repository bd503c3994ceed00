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
  package static func main(_ arguments: @Sendable () throws -> [String]) async -> Never {
    Translation.select(ProcessInfo.processInfo.environment)
    // A closed terminal must not end the server before it has saved.
    signal(SIGPIPE, SIG_IGN)
    // Nor a write beyond `ulimit -f`: it fails with a reason.
    signal(SIGXFSZ) { _ in }
    do {
      let command = try parse(try arguments())
      try await command.run()
      Glibc.exit(0)
    } catch let error as DiaryError {
      printLine("diary: " + error.message, to: STDERR_FILENO)
      for detail in error.details { printLine("  " + detail, to: STDERR_FILENO) }
      if let hint = error.hint { printLine(localized("hint: \(hint)"), to: STDERR_FILENO) }
      Glibc.exit(error.kind == .usage ? 64 : 1)
    } catch {
      exit(withError: error)
    }
  }

  package func run() async throws {
    EncryptedFolder(root).waitForTurn()
    // Otherwise `diary web` has found a journal there.
    if (try? AvailableFolder(root, .current())) == nil || EncryptedFolder(root).state != .plain {
      AvailableFolder.waitForJournal(at: root, .current()) { _ in
        printNotice(localized("\(root) is locked; waiting for `diary unlock`"))
      }
      // A watcher that waits, too, goes first: a page can also be served beside it.
      try await Task.sleep(for: .seconds(1))
    }
    // `diary lock` may ask before the page is served; it can be asked again.
    signal(SIGUSR1, SIG_IGN)
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
    let mustLetGo = Atomic(false)
    let sources = [SIGINT, SIGTERM, SIGHUP, SIGUSR1].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        guard number == SIGUSR1 else { return service.stop() }
        // `diary lock` asks for it.
        mustLetGo.store(true, ordering: .relaxed)
        service.letGo()
      }
      source.resume()
      return source
    }
    try await service.run(port: port) { link in await show(link, journal) }
    withExtendedLifetime(sources) {}
    if mustLetGo.load(ordering: .relaxed) { try letGo(of: journal) }
  }

  /// Closes the journal, and serves its page again when it is unlocked.
  private func letGo(of journal: Journal) throws -> Never {
    let options = [
      ("--read-only", readOnly), ("--until-closed", untilClosed), ("--quiet", quiet),
    ]
    try EncryptedFolder.letGo(
      continuingWith: [try journal.webProgram(), journal.root, "--no-open"]
        + (port.map { ["--port", "\($0)"] } ?? []) + options.filter(\.1).map(\.0))
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
