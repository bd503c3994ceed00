import DiaryKit
import Foundation
import Glibc
import Localization
import NIOCore
import NIOPosix
import Synchronization

/// All that `diary web` runs for one journal: the page's server, the socket for further links, and the
/// watcher, unless another one runs.
package final class WebService: Sendable {
  private let journal: Journal
  private let server: PageServer
  private let watch: PageWatch
  private let note: @Sendable (String) -> Void
  private let lock: FileLock

  /// Fails where another `diary web` serves the journal. `note` is told remarks for the person.
  package init(
    _ journal: Journal, options: PageOptions, note: @escaping @Sendable (String) -> Void
  ) throws {
    try journal.makeStateFolder()
    guard let lock = try FileLock(Self.lockPath(journal)) else {
      throw DiaryError(
        localized("another `diary web` serves this journal and does not answer"),
        hint: localized("end it, then try again"))
    }
    self.lock = lock
    self.journal = journal
    self.note = note
    server = PageServer(journal, options: options)
    watch = PageWatch(journal)
  }

  private static func lockPath(_ journal: Journal) -> String { journal.stateFolder + "/web.lock" }

  /// A new link from the `diary web` that serves the journal already; `nil` where none does.
  package static func linkOfRunning(for journal: Journal) async throws -> String? {
    guard try !isFree(journal) else { return nil }
    // It may be about to listen, or to end.
    for _ in 0..<50 {
      if let link = LinkSocket.ask("link", in: journal) { return link }
      if try isFree(journal) { return nil }
      try await Task.sleep(for: .milliseconds(100))
    }
    return nil
  }

  /// Ends all sessions of a journal, also those that a running server knows.
  package static func forget(in journal: Journal) async throws {
    if try isFree(journal) || LinkSocket.ask("forget", in: journal) == nil {
      try Sessions(of: journal).forget()
    }
  }

  private static func isFree(_ journal: Journal) throws -> Bool {
    try journal.makeStateFolder()
    return try FileLock(lockPath(journal)) != nil
  }

  /// Serves until ``stop()``, then ends the sitting. `onLink` is given the first link once a browser can
  /// open it.
  package func run(
    port: Int?, onLink: @escaping @Sendable (String) async -> Void
  ) async throws {
    let (server, watch) = (server, watch)
    let changes = watch.changes.listen()
    let telling = Task { await server.tell(changes, of: watch) }
    defer { telling.cancel() }
    // A newer Diary that has written the state ends the watch, and with it the page.
    let watching = Task {
      do { try await watch.run() } catch {
        await server.stop()
        throw error
      }
    }
    let serving: Result<Void, any Error>
    do { serving = .success(try await listen(on: port, onLink)) } catch {
      serving = .failure(error)
    }
    await watch.stop()
    try await watching.value
    try serving.get()
  }

  private func listen(
    on port: Int?, _ onLink: @escaping @Sendable (String) async -> Void
  ) async throws {
    let known = WebState.file(of: journal).read().port
    let wanted = port.map { [$0] } ?? [known ?? 4_934, 0]
    for number in wanted {
      do {
        return try await serve(number, lost: number == 0 ? wanted[0] : nil, onLink)
      } catch let error as IOError where number != wanted.last {
        note(
          localized(
            "port \(number) is taken (\(Self.reason(error))); pages that are open there are not this one's"
          ))
      } catch let error as IOError {
        throw DiaryError(
          localized("cannot listen on port \(number): \(Self.reason(error))"),
          hint: localized("choose another with --port, or leave it out"))
      }
    }
  }

  private static func reason(_ error: IOError) -> String {
    String(cString: strerror(error.errnoCode))
  }

  private func serve(
    _ port: Int, lost: Int?, _ onLink: @escaping @Sendable (String) async -> Void
  ) async throws {
    let (server, journal) = (server, journal)
    let socket = Mutex<(any Channel)?>(nil)
    let failure = Mutex<(any Error)?>(nil)
    try await server.run(port: port) {
      do {
        try server.sessions.note(port: server.port, lost: lost)
        let channel = try await LinkSocket.listen(in: journal, on: PageServer.loops) { word in
          guard word == "forget" else { return server.newLink() }
          return (try? server.sessions.forget()) == nil ? "" : "forgotten"
        }
        socket.withLock { $0 = channel }
        await onLink(server.newLink())
      } catch {
        failure.withLock { $0 = error }
        await server.stop()
      }
    }
    try? await socket.withLock(\.self)?.close()
    if let error = failure.withLock(\.self) { throw error }
  }

  /// Tells the pages, lets what is being saved end, then lets `run` return.
  package func stop() {
    let server = server
    Task { await server.stop() }
  }
}
