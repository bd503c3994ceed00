import Crypto
import DiaryCore
import DiaryKit
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import WebPage

@Suite struct SessionsTests {
  private static func journal(
    now: @escaping @Sendable () -> Int
  ) async throws -> (home: Sandbox, journal: Journal) {
    let home = try Sandbox()
    try await home.git("init", "-q", "j", in: "")
    try home.write("", to: "j/.diary/config.yml")
    return (home, try ServedJournal.journal(in: home, now: now))
  }

  @Test func `a session lasts 30 days and is stored as a hash, privately`()
    async throws
  {
    let now = Mutex(1_795_262_640)
    let clock = Clock(now)
    let (home, journal) = try await Self.journal { clock.now() }
    let secret = try Sessions(of: journal).create(port: 4934)
    #expect(secret.count == 64)
    let file = home.homePath + "/j/.git/diary/web.json"
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let hash = hexadecimal(SHA256.hash(data: Data(secret.utf8)))
    let text = try home.read("j/.git/diary/web.json")
    #expect(!text.contains(secret))
    #expect(text.contains(hash))

    let cookie = "diary-4934=\(secret)"
    let later = Sessions(of: journal)
    #expect(later.hasSession(in: [cookie], port: 4934))
    clock.advance(by: 30 * 24 * 3_600 - 1)
    #expect(later.hasSession(in: [cookie], port: 4934))
    clock.advance(by: 1)
    #expect(!later.hasSession(in: [cookie], port: 4934))
    #expect(!Sessions(of: journal).hasSession(in: [cookie], port: 4934))
  }

  @Test func `a cookie is valid only on its port, also among others of its name`() async throws {
    let (home, journal) = try await Self.journal { 1_795_262_640 }
    defer { withExtendedLifetime(home) {} }
    let sessions = Sessions(of: journal)
    let secret = try sessions.create(port: 4934)
    let cookie = "diary-4934=\(secret)"
    let hash = hexadecimal(SHA256.hash(data: Data(secret.utf8)))
    #expect(sessions.hasSession(in: [cookie], port: 4934))
    #expect(sessions.hasSession(in: ["a=b; \(cookie); c=d"], port: 4934))
    // Another server on this host can also set a cookie with our name.
    #expect(sessions.hasSession(in: ["diary-4934=evil; \(cookie)"], port: 4934))
    #expect(sessions.hasSession(in: ["a=b", cookie], port: 4934))
    let wrong = [
      "", "diary-4934", "diary-4934=", "diary-4934=\(secret.dropLast())", "diary-4934=\(secret)0",
      "xdiary-4934=\(secret)", "diary-4935=\(secret)", "Diary-4934=\(secret)", "\(secret)",
      "diary-4934=\(hash)", "diary-4934=\(secret.uppercased())",
    ]
    for cookie in wrong { #expect(!sessions.hasSession(in: [cookie], port: 4934), "\(cookie)") }
    #expect(!sessions.hasSession(in: ["diary-4935=\(secret)"], port: 4935))
    #expect(!sessions.hasSession(in: [], port: 4934))
  }

  @Test func `secrets are equal only if all of their bytes are`() {
    let one = Array("0123456789abcdef".utf8)
    #expect(isEqualInConstantTime(one, one))
    #expect(isEqualInConstantTime([], []))
    for index in one.indices {
      for bit in 0..<8 {
        var other = one
        other[index] ^= 1 << bit
        #expect(!isEqualInConstantTime(one, other))
        #expect(!isEqualInConstantTime(other, one))
      }
      #expect(!isEqualInConstantTime(one, Array(one[..<index])))
      #expect(!isEqualInConstantTime(Array(one[..<index]), one))
    }
    #expect(!isEqualInConstantTime(one, one + [0]))
    // Two differences must not cancel out.
    #expect(!isEqualInConstantTime([1, 2], [2, 1]))
  }

  @Test func `the sessions of a lost port end`() async throws {
    let (home, journal) = try await Self.journal { 1_795_262_640 }
    defer { withExtendedLifetime(home) {} }
    let sessions = Sessions(of: journal)
    let lost = try sessions.create(port: 4934)
    let kept = try sessions.create(port: 5000)
    try sessions.setPort(5000, lostPort: 4934)
    #expect(WebState.file(of: journal).read().port == 5000)
    #expect(!sessions.hasSession(in: ["diary-4934=\(lost)"], port: 4934))
    #expect(sessions.hasSession(in: ["diary-5000=\(kept)"], port: 5000))
    try sessions.endAll()
    #expect(!sessions.hasSession(in: ["diary-5000=\(kept)"], port: 5000))
    #expect(WebState.file(of: journal).read() == WebState(port: 5000, sessions: []))
  }

  private final class Clock: Sendable {
    private let seconds: Mutex<Int>
    init(_ start: borrowing Mutex<Int>) { seconds = Mutex(start.withLock { $0 }) }
    func now() -> Int { seconds.withLock { $0 } }
    func advance(by count: Int) { seconds.withLock { $0 += count } }
  }
}
