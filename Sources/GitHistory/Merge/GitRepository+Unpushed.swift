import CLibgit2
import DiaryCore

/// A commit that the remote does not have yet.
package struct UnpushedCommit: Sendable, Equatable {
  /// The id of the commit.
  package let id: CommitID
  /// The whole message.
  package let message: String
  /// True if Diary made the commit on this device, or made it as a merge.
  package let isMadeByDiary: Bool
  /// The paths of the repository, outside the journal, that a merge's sides changed differently.
  package let conflicting: [EntryPath]

  /// True if the sync of an adopted repository must not push the commit by itself.
  package var isForeign: Bool { !isMadeByDiary || !conflicting.isEmpty }
}

extension GitRepository {
  /// Returns the number of commits that `tip` has and no commit of `known` has.
  package func unpushedCount(_ tip: CommitID, known: [CommitID]) throws(GitError) -> Int {
    try commits(reachableFrom: tip, excluding: known).count
  }

  /// Returns the commits that `tip` has and no commit of `known` has, newest first.
  ///
  /// Diary's own commits carry the user's name and no marker. They are recognized by their lines in
  /// the reflogs of this work tree and its branch (`diary: 2 files`), merges by the last line of
  /// the message. Commits that the user rebased or amended count as the user's, and so do commits
  /// that no reflog contains (git expires reflogs after 90 days).
  package func unpushed(
    _ tip: CommitID, known: [CommitID]
  ) throws(GitError) -> [UnpushedCommit] {
    let commits = try commits(reachableFrom: tip, excluding: known)
    guard !commits.isEmpty else { return [] }
    let diaryCommits = try commitsByDiary()
    return try commits.map { id throws(GitError) in
      let message = try message(of: id)
      let parents = try parents(of: id)
      let isMerge = parents.count == 2
      return UnpushedCommit(
        id: id, message: message,
        isMadeByDiary: diaryCommits.contains(id) || (isMerge && isMergeMessage(message)),
        conflicting: isMerge ? try conflicting(parents[0], parents[1]) : [])
    }
  }

  /// Returns the messages of the root commits that `tip` descends from.
  package func rootMessages(of tip: CommitID) throws(GitError) -> [String] {
    var found: [String] = []
    for id in try commits(reachableFrom: tip, excluding: []) where try parents(of: id).isEmpty {
      found.append(try message(of: id))
    }
    return found
  }

  /// Returns the commits reachable from `tip` but not from any of `known`, newest first.
  func commits(reachableFrom tip: CommitID, excluding known: [CommitID]) throws(GitError)
    -> [CommitID]
  {
    // libgit2 walks past the boundary of a shallow clone, and fails there.
    if isShallow() { return try shallowCommits(reachableFrom: tip, excluding: known) }
    var walk: OpaquePointer?
    try GitError.check(git_revwalk_new(&walk, repository), "walk", tip.short)
    defer { git_revwalk_free(walk) }
    git_revwalk_sorting(walk, GIT_SORT_TOPOLOGICAL.rawValue | GIT_SORT_TIME.rawValue)
    var start = tip.raw
    try GitError.check(git_revwalk_push(walk, &start), "walk", tip.short)
    for commit in known {
      var hidden = commit.raw
      try GitError.check(git_revwalk_hide(walk, &hidden), "walk", commit.short)
    }
    var found: [CommitID] = []
    var id = git_oid()
    while true {
      let code = git_revwalk_next(&id, walk)
      if code == GIT_ITEROVER.rawValue { return found }
      try GitError.check(code, "walk", tip.short)
      found.append(ObjectID(id))
    }
  }

  private func shallowCommits(
    reachableFrom tip: CommitID, excluding known: [CommitID]
  ) throws(GitError) -> [CommitID] {
    let reader = try ObjectReader(repository, location)
    var times: [(id: CommitID, time: Int)] = []
    for key in try reader.ancestors([tip]).subtracting(reader.ancestors(known)) {
      times.append((key, try reader.commit(key).commitTime))
    }
    return times.sorted { ($1.time, $0.id) < ($0.time, $1.id) }.map(\.id)
  }

  private func isMergeMessage(_ message: String) -> Bool {
    let last = message.split(separator: "\n").last
    return last?.hasPrefix(mergeTrailer) == true
  }

  /// Returns a commit's message.
  package func message(of id: CommitID) throws(GitError) -> String {
    try withCommit(id) { message(of: $0) }
  }

  func message(of commit: OpaquePointer?) -> String {
    git_commit_message_raw(commit).map { String(cString: $0) } ?? ""
  }

  /// Returns the paths outside the journal that two commits changed differently since their base.
  private func conflicting(_ one: CommitID, _ other: CommitID) throws(GitError) -> [EntryPath] {
    guard location.prefix != nil else { return [] }
    // Of several bases the first is used: it gives more conflicts then, never fewer.
    let base = try tree(of: mergeBases(one, [other]).first)
    let ours = try differences(base, tree(of: one)).filter { location.journalPath($0.key) == nil }
    let theirs = try differences(base, tree(of: other))
    return ours.filter {
      theirs[$0.key].map { $0.new } != nil && theirs[$0.key]?.new != $0.value.new
    }
    .keys.sorted()
  }

  private func commitsByDiary() throws(GitError) -> Set<CommitID> {
    var found = Set<CommitID>()
    let head = try head()
    for log in Set(["HEAD", branchReference(head)]) {
      found.formUnion(try commitsOfSittings(inLog: log))
    }
    return found
  }

  /// Returns the commits in the lines `OLD NEW NAME <EMAIL> SECONDS ZONE\tMESSAGE` of a reflog.
  private func commitsOfSittings(inLog log: String) throws(GitError) -> [CommitID] {
    let folder = log == "HEAD" ? location.gitDirectory : location.commonDirectory
    guard let bytes = try readFile(folder + "/logs/" + log) else { return [] }
    return bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard let tab = line.firstIndex(of: UInt8(ascii: "\t")),
        line[(tab + 1)...].starts(with: "diary: ".utf8)
      else { return nil }
      return ObjectID(String(decoding: line.dropFirst(41).prefix(40), as: UTF8.self))
    }
  }
}
