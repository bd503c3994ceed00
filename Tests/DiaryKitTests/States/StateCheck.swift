import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

extension ReceivingJournal {
  /// Makes a journal whose `a.md` has two versions, and brings it into a state.
  init(in state: SampleState) async throws {
    try await self.init(["a.md": SampleState.text, "other.md": "Another entry.\n"])
    var addition = NewEntry()
    addition.message = "A paragraph by mistake."
    _ = try await journal.entries.add(addition, to: "a.md", withTime: false)
    try await state.make(in: self)
  }

  /// The texts of all Markdown files of the journal, by name.
  func texts() throws -> [String: String] {
    let folder = world.home.homePath + "/j"
    var found: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      guard name.hasSuffix(".md"), !name.hasPrefix(".git/"), name != "INDEX.md",
        let data = FileManager.default.contents(atPath: folder + "/" + name)
      else { continue }
      found[name] = data.count < 1 << 20 ? String(decoding: data, as: UTF8.self) : "\(data.count)"
    }
    return found
  }

  /// The texts of all objects of the repository.
  private func objects() async throws -> String {
    try await world.git("cat-file", "--batch-all-objects", "--batch", "--unordered")
  }

  /// Runs a command on the path of the state, and compares what it does with the table.
  func check(_ command: SampleCommand, in state: SampleState, _ expected: StateTable.Cell) async {
    let cell: Comment = "\(state.rawValue) × \(command.rawValue)"
    do {
      let before = try texts()
      if command == .show {
        let status = try await journal.status()
        #expect(state.isNamed(in: status), "\(cell): \(status)")
      }
      let outcome = try await command.run(on: state.path, in: self)
      let after = try texts()
      switch (expected, outcome) {
      case (.ok, .done), (.first, .done), (.skip, .skipped): break
      case (.no, .refused): #expect(after == before, cell)
      case (.again, .refused): #expect(after[state.path.text] != before[state.path.text], cell)
      default: Issue.record("\(cell): \(expected) is expected, got \(outcome)")
      }
      let files = after.values.joined(separator: "\n")
      let all = files + (try await objects())
      for words in state.words { #expect(all.contains(words), "\(cell): \(words)") }
      if state.isFromElsewhere, ![.delete, .restore, .undo].contains(command) {
        // While the words wait, the branch has them.
        for words in state.words where !files.contains(words) {
          let found = try? await world.git("grep", "-qF", words, "HEAD")
          #expect(found != nil, "\(cell): \(words)")
        }
      }
      if command == .leave, world.home.exists("j/.git/diary") == false { return }
      try await checkRest(state, cell, outcome)
    } catch {
      Issue.record("\(cell): \(error)")
    }
  }

  /// After a command, `status` names a state that is left, and a second save has nothing to do.
  private func checkRest(
    _ state: SampleState, _ cell: Comment, _ outcome: SampleCommand.Outcome
  ) async throws {
    let status = try await journal.status()
    if state.isLasting {
      switch outcome {
      case .done: break
      case .refused, .skipped: #expect(state.isNamed(in: status), "\(cell): \(status)")
      }
    }
    _ = try await journal.save()
    let again = try await journal.save()
    #expect(again.saved == [] && again.commit == nil, cell)
    let marked = try texts().filter { $0.value.contains("<<<<<<<") }.keys
    #expect(marked.isEmpty || state == .unmerged, "\(cell): \(marked)")
  }
}
