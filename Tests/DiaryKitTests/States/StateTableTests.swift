import TestSupport
import Testing

@testable import DiaryKit

/// Every state of a path, and every command in it, as the table in docs/architecture.md says.
@Suite(.serialized) struct StateTableTests {
  @Test(arguments: SampleState.allCases)
  func `each command does in this state what the table says`(_ state: SampleState) async throws {
    let table = try StateTable()
    for command in SampleCommand.allCases {
      guard let cell = table.cell(state, command), cell != .none else { continue }
      guard let sample = try await Self.sample(in: state) else { return }
      await sample.check(command, in: state, cell)
    }
  }

  /// Makes a journal in the state; `nil` if nobody may mount a disk here.
  static func sample(in state: SampleState) async throws -> ReceivingJournal? {
    do { return try await ReceivingJournal(in: state) } catch is SampleState.NoMounts { return nil }
  }
}

/// Twelve cells of that table, others for each seed.
@Suite(.serialized) struct StateSampleTests {
  @Test func `the table has every state and every command`() throws {
    let table = try StateTable()
    #expect(Set(table.commands) == Set(SampleCommand.allCases.map(\.rawValue)))
    #expect(Set(table.rows.keys) == Set(SampleState.allCases.map(\.rawValue)))
    for (state, row) in table.rows { #expect(row.count == table.commands.count, "\(state)") }
  }

  @Test func `commands do in these states what the table says`() async throws {
    let table = try StateTable()
    var random = SeededGenerator()
    for state in SampleState.allCases.shuffled(using: &random).prefix(12) {
      let commands = SampleCommand.allCases.filter { table.cell(state, $0) != StateTable.Cell.none }
      guard let command = commands.randomElement(using: &random),
        let cell = table.cell(state, command)
      else { continue }
      guard let sample = try await StateTableTests.sample(in: state) else { continue }
      await sample.check(command, in: state, cell)
    }
  }
}
