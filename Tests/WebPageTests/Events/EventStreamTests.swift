import Foundation
import NIOCore
import TestSupport
import Testing

@testable import WebPage

@Suite struct EventStreamTests {
  /// Opens the event stream of a page.
  private func openStream(_ site: ServedJournal) async throws -> RawConnection {
    let connection = try RawConnection(site.port)
    let fields = site.ownFields.joined(separator: "\r\n") + "\r\n\r\n"
    await connection.send("GET /events HTTP/1.1\r\n" + fields)
    let answer = try #require(await connection.response())
    #expect(answer.status == 200)
    #expect(answer["content-type"] == "text/event-stream")
    #expect(answer["cache-control"] == "no-store")
    #expect(await read(connection, until: "event: program").contains("retry: 2000\n\n"))
    return connection
  }

  /// Receives until the text contains `words`.
  private func read(_ connection: RawConnection, until words: String) async -> String {
    var text = ""
    while !text.contains(words) {
      let part = await connection.receive()
      if part.isEmpty { break }
      text += String(decoding: part, as: UTF8.self)
    }
    return text
  }

  private func options(_ change: (inout PageOptions) -> Void) -> PageOptions {
    var options = PageOptions()
    change(&options)
    return options
  }

  @Test func `every page receives an event, and a last one at the end`() async throws {
    let pages = try await withServing { site in
      let pages = [try await openStream(site), try await openStream(site)]
      site.server.events.send("saved", json: Array(#"{"path":"a.md"}"#.utf8))
      for page in pages {
        let text = await read(page, until: "a.md")
        #expect(text.contains("event: saved\ndata: {\"path\":\"a.md\"}\n\n"))
      }
      return pages
    }
    #expect(pages.count == 2)
    for page in pages {
      let rest = String(decoding: await page.receiveAll(), as: UTF8.self)
      #expect(rest.contains("event: bye\ndata: {}\n\n"))
    }
  }

  @Test func `before the journal is locked, pages can save until they close their streams`()
    async throws
  {
    try await ServedJournal.serve(options: options { $0.limits.lastSaveTimeout = 600 }) { site in
      var pages = [try await openStream(site), try await openStream(site)]
      let server = site.server
      let stopping = Task { await server.letGo() }
      for page in pages { #expect(await read(page, until: "event: lock\n").contains("lock")) }
      let saved = try await site.send(
        "POST", "/api/entries", fields: ["Idempotency-Key: one"],
        body: Array(#"{"title":"The last","body":"text"}"#.utf8))
      #expect(saved.status == 201)
      #expect(try await site.send("GET", "/events").status == 503)
      #expect(server.events.count == 2)
      pages.removeAll()
      await stopping.value
      #expect(server.events.count == 0)
    }
  }

  @Test func `a page that does not close its stream delays the lock for a limited time`()
    async throws
  {
    try await ServedJournal.serve(options: options { $0.limits.lastSaveTimeout = 1 }) { site in
      let page = try await openStream(site)
      let before = ContinuousClock.now
      await site.server.letGo()
      #expect(ContinuousClock.now - before >= .seconds(1))
      #expect(await read(page, until: "event: bye").contains("event: lock"))
    }
  }

  private func withServing(
    _ body: @Sendable (ServedJournal) async throws -> [RawConnection]
  ) async throws -> [RawConnection] {
    let (stream, source) = AsyncStream<[RawConnection]>.makeStream()
    try await ServedJournal.serve { site in
      source.yield(try await body(site))
      source.finish()
    }
    for await pages in stream { return pages }
    return []
  }

  @Test func `a stream sends keep-alive messages`() async throws {
    try await ServedJournal.serve(options: options { $0.limits.keepAliveInterval = 1 }) { site in
      let page = try await openStream(site)
      #expect(await read(page, until: ":\n\n").hasSuffix("\r\n"))
    }
  }

  @Test func `a stream beyond the limit is refused until another is closed`() async throws {
    try await ServedJournal.serve { site in
      let most = RequestLimits().streams
      var pages: [RawConnection] = []
      for _ in 0..<most { pages.append(try await openStream(site)) }
      let another = try await site.send("GET", "/events")
      #expect(another.status == 503)
      pages.removeLast()
      let server = site.server
      #expect(await Sandbox.holds { server.events.count == most - 1 })
      pages.append(try await openStream(site))
    }
  }

  @Test func `a page that does not read loses its stream and does not delay others`() async throws {
    try await ServedJournal.serve { site in
      let deaf = try await openStream(site)
      let page = try await openStream(site)
      let words = Array(("\"" + String(repeating: "a", count: 100_000) + "\"").utf8)
      var isAlone = false
      for number in 0..<400 {
        site.server.events.send("rows", json: words)
        site.server.events.send("saved", json: Array("\(number)".utf8))
        let event = "event: saved\ndata: \(number)\n"
        #expect(await read(page, until: event).contains(event))
        isAlone = site.server.events.count == 1
        if isAlone { break }
      }
      #expect(isAlone)
      withExtendedLifetime(deaf) {}
    }
  }

  @Test func `a server that ends with the last page does not end before the first`()
    async throws
  {
    try await ServedJournal.serve(
      options: options {
        $0.endsWithLastPage = true
        $0.limits.lastPageTimeout = 4
      }
    ) { site in
      try await Task.sleep(for: .milliseconds(4_500))
      #expect(try await site.send("GET", "/open").status == 200)
      var page: RawConnection? = try await openStream(site)
      withExtendedLifetime(page) {}
      page = nil
      // A page that reconnects in time resets the timeout.
      let server = site.server
      #expect(await Sandbox.holds { server.events.count == 0 })
      page = try await openStream(site)
      try await Task.sleep(for: .milliseconds(4_500))
      #expect(try await site.send("GET", "/open").status == 200)
      withExtendedLifetime(page) {}
      page = nil
      #expect(await Sandbox.holds { (try? RawConnection(server.port)) == nil })
    }
  }
}
