@testable import DiaryCore

/// A violation of an invariant by a run.
struct SyncComplaint: Equatable {
  /// The violated invariant.
  let kind: String
  let words: String
}

extension SyncRun {
  var finalTree: SimulatedHistory.Tree { history.tree(devices[0].tip) }

  /// The number of occurrences of each unique word in the final files.
  func finalCounts() -> [String: Int] {
    finalTree.values.reduce(into: [:]) { all, file in
      all.merge(UniqueWords.counts(TestTrees.bytes(file.id))) { $0 + $1 }
    }
  }

  /// The first invariant that the run violated, or `nil`.
  func complaint() -> SyncComplaint? {
    for device in devices {
      if let violation = device.violation {
        return SyncComplaint(kind: "broken", words: "\(device.name): \(violation)")
      }
    }
    return convergenceComplaint() ?? wordComplaint() ?? lineComplaint() ?? historyComplaint()
      ?? fileComplaint()
  }

  private func convergenceComplaint() -> SyncComplaint? {
    if rounds >= SyncRun.maxRounds {
      return SyncComplaint(kind: "no end", words: "still moving after \(rounds) rounds")
    }
    let tree = finalTree
    for device in devices {
      if device.tip != devices[0].tip {
        return SyncComplaint(kind: "apart", words: "\(device.name) has another branch")
      }
      for path in Set(tree.keys).union(device.disk.keys).sorted() {
        let wanted = tree[path].map { TestTrees.bytes($0.id) }
        guard device.disk[path] != wanted else { continue }
        return SyncComplaint(kind: "apart", words: "\(device.name) shows another \(path)")
      }
    }
    return nil
  }

  private func wordComplaint() -> SyncComplaint? {
    let counts = finalCounts()
    for word in typed.subtracting(deleted).sorted()
    where counts[word] == nil && removedCopies[word, default: 0] < 2 {
      return SyncComplaint(kind: "lost", words: word)
    }
    if let word = counts.keys.filter({ !typed.contains($0) }).min() {
      return SyncComplaint(kind: "made", words: word)
    }
    return copyComplaint()
  }

  /// Checks that a file has a word at most as often as users wrote other paragraphs with it: of a
  /// unit that several devices changed, the versions of all stay. The texts that were taken for old
  /// buffers are left out.
  private func copyComplaint() -> SyncComplaint? {
    let most = written.reduce(into: [String: Int]()) {
      $0.merge(UniqueWords.counts(Array($1.utf8)), uniquingKeysWith: +)
    }
    let misjudged = devices.reduce(into: Set<String>()) { $0.formUnion($1.misjudgedWords) }
    for (path, file) in finalTree.sorted(by: { $0.key < $1.key }) {
      let counts = UniqueWords.counts(TestTrees.bytes(file.id))
      let doubled = counts.filter {
        $0.value > most[$0.key, default: 0] && !misjudged.contains($0.key)
      }
      .min { $0.key < $1.key }
      guard let (word, count) = doubled else { continue }
      let words = "\(word) \(count) times in \(path), not \(most[word] ?? 0)"
      return SyncComplaint(kind: "doubled", words: words)
    }
    return nil
  }

  /// Checks that each line of a body was written by a user.
  private func lineComplaint() -> SyncComplaint? {
    let known = Set(written.flatMap(SyncRun.lines))
    for (path, file) in finalTree.sorted(by: { $0.key < $1.key }) where path.isMarkdown {
      let body = EntryText(TestTrees.bytes(file.id)).body
      for line in SyncRun.lines(body) where !known.contains(line) && !line.hasPrefix("```") {
        return SyncComplaint(kind: "line", words: "\(line.debugDescription) in \(path)")
      }
    }
    return nil
  }

  /// Checks that no content of a former branch tip and no word on the disk at a save is lost.
  private func historyComplaint() -> SyncComplaint? {
    guard let last = devices[0].tip else { return nil }
    func blobs(_ commits: some Sequence<SimulatedHistory.ID>) -> Set<[UInt8]> {
      commits.reduce(into: []) { $0.formUnion(history.tree($1).values.map(\.id)) }
    }
    func words(_ blobs: Set<[UInt8]>) -> Set<String> {
      blobs.reduce(into: []) { $0.formUnion(UniqueWords.counts(TestTrees.bytes($1)).keys) }
    }
    let all = history.ancestors(of: last)
    let gone = Set(devices.flatMap(\.allTips)).subtracting(all)
    let dropped = blobs(gone).subtracting(blobs(all))
    if !dropped.isEmpty, let word = words(dropped).subtracting(words(blobs(all))).min() {
      return SyncComplaint(kind: "forgotten", words: word)
    }
    let kept = words(blobs(all))
    for device in devices {
      let here = device.saves.reduce(into: Set<String>()) {
        $0.formUnion(UniqueWords.counts($1).keys)
      }
      if let word = device.writtenWords.subtracting(here).subtracting(kept).min() {
        return SyncComplaint(kind: "unsaved", words: "\(word) on \(device.name)")
      }
    }
    return nil
  }

  private func fileComplaint() -> SyncComplaint? {
    for (path, file) in finalTree.sorted(by: { $0.key < $1.key }) where path.isMarkdown {
      let bytes = TestTrees.bytes(file.id)
      let text = EntryText(bytes)
      if ![.yaml, .none].contains(text.headerKind) || strictHeader(text.header) == nil {
        return SyncComplaint(kind: "header", words: "\(path): \(SyncRun.quoted(bytes))")
      }
      let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      let marks = ["<<<<<<<", "=======", ">>>>>>>"]
      if lines.contains(where: { line in marks.contains { line.hasPrefix($0) } }) {
        return SyncComplaint(kind: "mark", words: "\(path): \(SyncRun.quoted(bytes))")
      }
    }
    return nil
  }
}
