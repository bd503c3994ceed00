import DiaryCore

extension GitRepository {
  /// Returns every saved version of the entry that has, or last had, this path, newest first: from
  /// the branch and the saves, through renames and deletions.
  package func versions(of path: EntryPath) throws(GitError) -> EntryVersions {
    let reader = try ObjectReader(repository, location)
    var walk = VersionWalk(location.repositoryPath(path), reader)
    let head = try head()
    let currentSaves = try savesReference(head)
    try walk.run(from: [try target(of: currentSaves), head.commit].compactMap { $0 })
    // A renamed branch, and a branch that was switched away from, have saves on other refs.
    let here = walk.revisions.count
    var others: [ObjectID] = []
    for name in try savesReferences() where name != currentSaves {
      if let other = try target(of: name) { others.append(other) }
    }
    try walk.run(from: others)
    let events = mergedEvents(Array(walk.revisions[..<here]), Array(walk.revisions[here...]))
    let versions = try eventsWithoutDuplicates(events).map { event, twins throws(GitError) in
      try version(event, twins, reader)
    }
    return EntryVersions(
      versions: versions, isCutOff: walk.isCutOff,
      paths: walk.names.compactMap { location.journalPath($0) })
  }

  /// Merges the events of two walks; each walk's own order is kept, whatever its clocks say.
  private func mergedEvents(
    _ first: [VersionWalk.Revision], _ second: [VersionWalk.Revision]
  ) -> [VersionWalk.Revision] {
    if first.isEmpty { return second }
    var merged: [VersionWalk.Revision] = []
    var remaining = first[...]
    for event in second {
      while let next = remaining.first, next.commitTime >= event.commitTime {
        merged.append(next)
        remaining.removeFirst()
      }
      merged.append(event)
    }
    return merged + remaining
  }

  /// Merges a sitting's commit and the save that the sitting ended with, since both have the same
  /// content: one version, at the position and time of the save.
  private func eventsWithoutDuplicates(
    _ events: [VersionWalk.Revision]
  ) -> [(VersionWalk.Revision, twins: [VersionWalk.Revision])] {
    var found: [(VersionWalk.Revision, twins: [VersionWalk.Revision])] = []
    var unmatched: [VersionWalk.Revision] = []
    for event in events {
      guard event.isSave else {
        // Within one second, the commit may come after its save.
        if unmatched.isEmpty, let last = found.last, last.0.isSave, last.0.entry == event.entry,
          last.0.path == event.path, last.0.commitTime == event.commitTime
        {
          var merged = event
          merged.authorTime = min(event.authorTime, last.0.authorTime)
          found[found.count - 1] = (merged, [last.0])
        } else {
          unmatched.append(event)
        }
        continue
      }
      let isSame = { (other: VersionWalk.Revision) in
        other.entry == event.entry && other.path == event.path
      }
      let twin = unmatched.lastIndex(where: isSame)
      found += unmatched.indices.filter { $0 != twin }.map { (unmatched[$0], []) }
      if let twin {
        var merged = unmatched[twin]
        merged.authorTime = min(merged.authorTime, event.authorTime)
        found.append((merged, [event]))
      } else {
        found.append((event, []))
      }
      unmatched = []
    }
    return found + unmatched.map { ($0, []) }
  }

  private func version(
    _ event: VersionWalk.Revision, _ twins: [VersionWalk.Revision], _ reader: ObjectReader
  ) throws(GitError) -> EntryVersion {
    let parsed = try reader.message(event.commit)
    let lines = parsed.message.split(separator: "\n", omittingEmptySubsequences: false)
    let userMessage = lines.filter {
      !event.isSave || !($0.hasPrefix(SaveCommit.tipKey) || SaveCommit.isSittingLine($0))
    }.joined(separator: "\n")
    let path = location.journalPath(event.path) ?? event.path
    return EntryVersion(
      path: path, blob: event.entry?.id, isExecutable: event.entry?.isExecutable ?? false,
      commit: event.commit, otherCommits: twins.map(\.commit), savedAt: event.authorTime,
      offsetMinutes: parsed.offsetMinutes, message: userMessage.trimmingNewlines)
  }
}

extension String {
  fileprivate var trimmingNewlines: String {
    String(drop { $0 == "\n" }.reversed().drop { $0 == "\n" }.reversed())
  }
}
