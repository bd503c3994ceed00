import DiaryKit
import Foundation
import Glibc
import Localization
import NIOCore
import NIOPosix
import Synchronization

/// The parts of `diary web` for one journal: the page's server, the socket for further links, and
/// the watcher, unless another one is running.
package final class WebService: Sendable {
  private let journal: Journal
  private let server: PageServer
  private let watch: PageWatch
  private let report: @Sendable (String) -> Void
  private let lock: ProcessLock

  /// Fails if another `diary web` serves the journal. `report` is called with messages for the user.
  package init(
    _ journal: Journal, options: PageOptions, report: @escaping @Sendable (String) -> Void
  ) throws {
    try journal.makeStateFolder()
    guard let lock = try ProcessLock(Self.lockPath(journal)) else {
      throw DiaryError(
        localized("another `diary web` for this journal is running but does not respond"),
        hint: localized("end it, then try again"))
    }
    self.lock = lock
    self.journal = journal
    self.report = report
    server = PageServer(journal, options: options)
    watch = PageWatch(journal)
  }

  private static func lockPath(_ journal: Journal) -> String { journal.stateFolder + "/web.lock" }

  /// A new link from the `diary web` that already serves the journal; `nil` if there is none.
  package static func linkFromRunningServer(for journal: Journal) async throws -> String? {
    guard try !isUnserved(journal) else { return nil }
    // The other server may be starting or stopping.
    for _ in 0..<50 {
      if let link = ControlSocket.send("link", in: journal) { return link }
      if try isUnserved(journal) { return nil }
      try await Task.sleep(for: .milliseconds(100))
    }
    return nil
  }

  /// Ends all sessions of a journal, also in a running server.
  package static func endAllSessions(in journal: Journal) async throws {
    if try isUnserved(journal) || ControlSocket.send("forget", in: journal) == nil {
      try Sessions(of: journal).endAll()
    }
  }

  private static func isUnserved(_ journal: Journal) throws -> Bool {
    try journal.makeStateFolder()
    return try ProcessLock(lockPath(journal)) != nil
  }

  /// Serves until ``stop()``, then ends the sitting. Calls `onLink` with the first link when the
  /// server accepts requests.
  package func run(
    port: Int?, onLink: @escaping @Sendable (String) async -> Void
  ) async throws {
    let (server, watch) = (server, watch)
    let changes = watch.changes.listen()
    let eventTask = Task { await server.sendEvents(for: changes, of: watch) }
    defer { eventTask.cancel() }
    // If a newer Diary has written the state, the watch fails, and the page is stopped.
    let watchTask = Task {
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
    try await watchTask.value
    try serving.get()
  }

  private func listen(
    on port: Int?, _ onLink: @escaping @Sendable (String) async -> Void
  ) async throws {
    let lastPort = WebState.file(of: journal).read().port
    let ports = port.map { [$0] } ?? [lastPort ?? 4_934, 0]
    for number in ports {
      do {
        return try await serve(number, lostPort: number == 0 ? ports[0] : nil, onLink)
      } catch let error as IOError where number != ports.last {
        report(
          localized(
            "port \(number) is in use (\(Self.reason(error))); pages that are open on it "
              + "belong to another server"
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
    _ port: Int, lostPort: Int?, _ onLink: @escaping @Sendable (String) async -> Void
  ) async throws {
    let (server, journal) = (server, journal)
    let socket = Mutex<(any Channel)?>(nil)
    let failure = Mutex<(any Error)?>(nil)
    try await server.run(port: port) {
      do {
        try server.sessions.setPort(server.port, lostPort: lostPort)
        let channel = try await ControlSocket.listen(in: journal, on: PageServer.eventLoops) {
          word in
          guard word == "forget" else { return server.newLink() }
          return (try? server.sessions.endAll()) == nil ? "" : "forgotten"
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

  /// Notifies the pages, waits for running saves, and ends `run`.
  package func stop() {
    let server = server
    Task { await server.stop() }
  }

  /// Does the same after the pages have sent what is unsaved, because the journal will be locked.
  package func letGo() {
    let server = server
    Task { await server.letGo() }
  }
}
