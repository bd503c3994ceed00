import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// Every state of a path, and every command in it, as the table in docs/architecture.md says.
/// `DIARY_STATE` chooses a state by its name, or `all`. Without it, each state gets five commands,
/// and the slow ones two, others for each seed.
@Suite(.serialized) struct StateTableTests {
  private static let chosen = ProcessInfo.processInfo.environment["DIARY_STATE"]

  @Test(arguments: SampleState.allCases.filter { [nil, "all", $0.rawValue].contains(chosen) })
  func `each command does in this state what the table says`(_ state: SampleState) async throws {
    let table = try StateTable()
    let base = try await SampleBase()
    var random = SeededGenerator(part: state)
    let isSlow = [.tooLarge, .suspended, .editing].contains(state)
    let count = Self.chosen != nil ? Int.max : isSlow ? 2 : 5
    for command in SampleCommand.allCases.shuffled(using: &random).prefix(count) {
      guard let cell = table.cell(state, command), cell != .none else { continue }
      let isMade = try await base.withSample(in: state) { sample in
        await sample.check(command, in: state, cell)
      }
      if !isMade { try Test.cancel("nobody may mount a disk here") }
    }
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
    let base = try await SampleBase()
    for state in SampleState.allCases.shuffled(using: &random).prefix(12) {
      let commands = SampleCommand.allCases.filter { table.cell(state, $0) != StateTable.Cell.none }
      guard let command = commands.randomElement(using: &random),
        let cell = table.cell(state, command)
      else { continue }
      _ = try await base.withSample(in: state) { sample in
        await sample.check(command, in: state, cell)
      }
    }
  }
}
