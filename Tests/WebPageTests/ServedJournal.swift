import DiaryKit
import Foundation
import TestSupport

@testable import WebPage

/// A journal whose page is served in this process, in its own sandbox.
struct ServedJournal: Sendable {
  let home: Sandbox
  let journal: Journal
  let server: PageServer
  /// The cookie of a signed-in browser.
  let cookie: String

  var port: Int { server.port }
  var host: String { "127.0.0.1:\(port)" }

  /// Serves a journal `j` with `files` while `body` runs.
  static func serve(
    _ files: [String: String] = ["a.md": "one\n"],
    now: @escaping @Sendable () -> Int = { 1_795_262_640 },
    options: PageOptions = PageOptions(), _ body: @Sendable (ServedJournal) async throws -> Void
  ) async throws {
    let home = try Sandbox()
    try await home.git("init", "-q", "j", in: "")
    try home.write("", to: "j/.diary/config.yml")
    for (name, text) in files { try home.write(text, to: "j/" + name) }
    try await home.git("add", "-A", in: "j")
    try await home.git("commit", "-qm", "begin", in: "j")
    let journal = try ServedJournal.journal(in: home, now: now)
    let server = PageServer(journal, options: options)
    try await withThrowingTaskGroup(of: Void.self) { group in
      let (listening, isListening) = AsyncStream<Void>.makeStream()
      group.addTask {
        defer { isListening.finish() }
        try await server.run(port: 0) { isListening.yield() }
      }
      for await _ in listening { break }
      let secret = try server.sessions.create(port: server.port)
      let site = ServedJournal(
        home: home, journal: journal, server: server,
        cookie: "\(SessionCookie.name(port: server.port))=\(secret)")
      let result: Result<Void, any Error>
      do { result = .success(try await body(site)) } catch { result = .failure(error) }
      await server.stop()
      try await group.waitForAll()
      try result.get()
    }
  }

  static func journal(
    in home: Sandbox, now: @escaping @Sendable () -> Int = { 1_795_262_640 }
  ) throws -> Journal {
    try Journal(
      root: home.homePath + "/j",
      environment: RuntimeEnvironment(
        variables: home.environment, currentFolder: home.homePath, now: now,
        zone: TimeZone(identifier: "Asia/Seoul") ?? .gmt, executableDirectory: Sandbox.programs))
  }

  /// The header fields of a request by our own page, without those of a body.
  var ownFields: [String] {
    ["Host: \(host)", "Cookie: \(cookie)", "Origin: http://\(host)", "Sec-Fetch-Site: same-origin"]
  }

  /// Sends a request as our own page does.
  func send(
    _ method: String, _ target: String, fields: [String] = [], body: [UInt8] = [],
    type: String = "application/json"
  ) async throws -> RawResponse {
    var fields = ownFields + fields
    if !body.isEmpty {
      fields += ["Content-Type: \(type)", "Content-Length: \(body.count)"]
    } else if method != "GET", method != "HEAD" {
      fields.append("Content-Length: 0")
    }
    return try await send(head: "\(method) \(target) HTTP/1.1", fields: fields, body: body)
  }

  /// Sends exactly these lines.
  func send(head: String, fields: [String], body: [UInt8] = []) async throws -> RawResponse {
    let text = ([head] + fields).joined(separator: "\r\n") + "\r\n\r\n"
    return try await RawConnection.response(from: port, to: Array(text.utf8) + body)
  }
}
