import FolderWatch
import Testing

@Suite struct WaitTests {
  private let clock = ContinuousClock()

  @Test func `many parallel waits each take the requested time`() async throws {
    let spent = try await clock.measure {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<200 { group.addTask { try await wait(for: .milliseconds(150)) } }
        try await group.waitForAll()
      }
    }
    #expect(spent >= .milliseconds(150) && spent < .seconds(15), "\(spent)")
    try await wait(for: .zero)
  }

  @Test func `a cancelled wait ends at once, before its start and during it`() async throws {
    for delay in [Duration.zero, .milliseconds(20)] {
      let task = Task { try await wait(for: .seconds(3_600)) }
      try await Task.sleep(for: delay)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }
}
