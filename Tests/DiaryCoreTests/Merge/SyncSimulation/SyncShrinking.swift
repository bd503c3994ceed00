import DiaryCore
import TestSupport

/// Shrinks a failing script: steps are removed while it still fails in the same way.
enum SyncShrinking {
  static func report(_ script: SyncScript, _ complaint: SyncComplaint) async -> String {
    var least = script
    least.steps = await shrunk(script.steps) { steps in
      least.steps = steps
      let run = SyncRun(least)
      run.play()
      return run.complaint()?.kind == complaint.kind
    }
    let run = SyncRun(least)
    run.play()
    let found = run.complaint() ?? complaint
    let files = run.finalTree.sorted { $0.key < $1.key }.map {
      "  \($0.key): \(SyncRun.quoted(TestTrees.bytes($0.value.id)))"
    }
    let lines =
      [
        "\(SeededGenerator.setting), seed \(script.seed), \(script.devices) devices: \(found.kind): "
          + "\(found.words)"
      ]
      + run.actionLog.map { "  " + $0 } + ["in the end:"] + files
      + (found.kind == "lost" ? firstLossReport(run.history, found.words) : [])
    return lines.joined(separator: "\n")
  }

  /// The first merge that lost a word that one side had typed or both sides had.
  private static func firstLossReport(_ history: SimulatedHistory, _ word: String) -> [String] {
    func files(_ tree: SimulatedHistory.Tree) -> [EntryPath: [UInt8]] {
      tree.mapValues { TestTrees.bytes($0.id) }
        .filter { UniqueWords.counts($0.value).keys.contains(word) }
    }
    let first = history.mergeLog.first { merge in
      let (base, a, b) = (files(merge.base), files(merge.a), files(merge.b))
      let isKept = !a.isEmpty && !b.isEmpty || base.isEmpty && (!a.isEmpty || !b.isEmpty)
      return isKept && files(merge.result).isEmpty
    }
    guard let first else { return ["no merge lost it"] }
    let trees = [("base", first.base), ("a", first.a), ("b", first.b), ("merged", first.result)]
    let paths = Set(trees.flatMap { files($0.1).keys }).sorted()
    return paths.flatMap { path in
      trees.map { name, tree in
        "  \(path), \(name): "
          + (tree[path].map { SyncRun.quoted(TestTrees.bytes($0.id)) } ?? "none")
      }
    }
  }
}
