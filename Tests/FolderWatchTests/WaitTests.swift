import FolderWatch
import Testing

@Suite struct WaitTests {
  private let clock = ContinuousClock()

  @Test func `waits as long as it is told, many side by side`() async throws {
    let spent = try await clock.measure {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<200 { group.addTask { try await wait(for: .milliseconds(150)) } }
        try await group.waitForAll()
      }
    }
    #expect(spent >= .milliseconds(150) && spent < .seconds(15), "\(spent)")
    try await wait(for: .zero)
  }

  @Test func `ends with its task, before it begins and in the middle`() async throws {
    for delay in [Duration.zero, .milliseconds(20)] {
      let task = Task { try await wait(for: .seconds(3_600)) }
      try await Task.sleep(for: delay)
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }
}
