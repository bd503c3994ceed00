import CLibgit2
import DiaryCore

extension GitRepository {
  /// Every saved version of the entry that has, or had last, this path, newest first: from the
  /// branch and from the single saves, through renames and deletions.
  package func versions(of path: EntryPath) throws(GitError) -> EntryVersions {
    let reader = try ObjectReader(repository, location)
    var walk = VersionWalk(location.inRepository(path), reader)
    let head = try head()
    let own = try savesReference(head)
    try walk.run(from: [try target(of: own), head.commit].compactMap { $0 })
    // A branch that was renamed, and one that was left, have their saves under other names.
    let here = walk.events.count
    var others: [ObjectID] = []
    for name in try savesReferences() where name != own {
      if let other = try target(of: name) { others.append(other) }
    }
    try walk.run(from: others)
    let events = inOrder(Array(walk.events[..<here]), Array(walk.events[here...]))
    let versions = try withoutTwins(events).map { event, twins throws(GitError) in
      try version(event, twins, reader)
    }
    return EntryVersions(
      versions: versions, isCutOff: walk.isCutOff,
      names: walk.names.compactMap { location.inJournal($0) })
  }

  /// Every reference on which single saves are kept.
  func savesReferences() throws(GitError) -> [String] {
    var iterator: OpaquePointer?
    try GitError.check(
      git_reference_iterator_glob_new(&iterator, repository, "refs/diary/saves/*"), "list",
      "refs/diary/saves")
    defer { git_reference_iterator_free(iterator) }
    var names: [String] = []
    var name: UnsafePointer<CChar>?
    while git_reference_next_name(&name, iterator) == 0 {
      if let name { names.append(String(cString: name)) }
    }
    return names.sorted()
  }

  /// Two walks' events as one list, each walk's own order kept whatever its clocks say.
  private func inOrder(
    _ first: [VersionWalk.Revision], _ second: [VersionWalk.Revision]
  ) -> [VersionWalk.Revision] {
    if first.isEmpty { return second }
    var merged: [VersionWalk.Revision] = []
    var rest = first[...]
    for event in second {
      while let next = rest.first, next.committed >= event.committed {
        merged.append(next)
        rest.removeFirst()
      }
      merged.append(event)
    }
    return merged + rest
  }

  /// A sitting's commit and the save that it ended with hold the same: one version, in the place and
  /// at the time of the save.
  private func withoutTwins(
    _ events: [VersionWalk.Revision]
  ) -> [(VersionWalk.Revision, twins: [VersionWalk.Revision])] {
    var found: [(VersionWalk.Revision, twins: [VersionWalk.Revision])] = []
    var waiting: [VersionWalk.Revision] = []
    for event in events {
      guard event.isSave else {
        // Within one second the commit may come after its save.
        if waiting.isEmpty, let last = found.last, last.0.isSave, last.0.entry == event.entry,
          last.0.path == event.path, last.0.committed == event.committed
        {
          var merged = event
          merged.authored = min(event.authored, last.0.authored)
          found[found.count - 1] = (merged, [last.0])
        } else {
          waiting.append(event)
        }
        continue
      }
      let isSame = { (other: VersionWalk.Revision) in
        other.entry == event.entry && other.path == event.path
      }
      let twin = waiting.lastIndex(where: isSame)
      found += waiting.indices.filter { $0 != twin }.map { (waiting[$0], []) }
      if let twin {
        var merged = waiting[twin]
        merged.authored = min(merged.authored, event.authored)
        found.append((merged, [event]))
      } else {
        found.append((event, []))
      }
      waiting = []
    }
    return found + waiting.map { ($0, []) }
  }

  private func version(
    _ event: VersionWalk.Revision, _ twins: [VersionWalk.Revision], _ reader: ObjectReader
  ) throws(GitError) -> EntryVersion {
    let words = try reader.message(event.commit)
    let lines = words.message.split(separator: "\n", omittingEmptySubsequences: false)
    let own = lines.filter {
      !event.isSave || !($0.hasPrefix(SaveCommit.tipKey) || $0.hasPrefix(SaveCommit.sittingKey))
    }.joined(separator: "\n")
    let path = location.inJournal(event.path) ?? event.path
    return EntryVersion(
      path: path, blob: event.entry?.id, isExecutable: event.entry?.mode == TreeEntry.program,
      commit: event.commit, alsoIn: twins.map(\.commit), at: event.authored,
      offsetMinutes: words.offsetMinutes, message: own.trimmingNewlines)
  }
}

extension String {
  fileprivate var trimmingNewlines: String {
    String(drop { $0 == "\n" }.reversed().drop { $0 == "\n" }.reversed())
  }
}
