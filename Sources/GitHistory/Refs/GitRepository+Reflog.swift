import DiaryCore

extension GitRepository {
  /// The beginnings of git's reflog messages for moves of a branch that also update the files.
  private static let updates = [
    "pull", "merge", "revert", "cherry-pick", "rebase", "am", "commit (merge)",
    "commit (cherry-pick)",
  ]

  /// Returns the moves of the current branch, oldest first, with which the user's git updated files
  /// since the newest save. Without a reflog there are none.
  package func movesByGit() throws(GitError) -> [(from: CommitID, to: CommitID)] {
    let head = try head()
    guard case .branch(_, let tip) = head, let known = try newestSave(head)?.tip, known != tip,
      let log = try readFile(location.commonDirectory + "/logs/" + branchReference(head))
    else { return [] }
    var moves: [(from: CommitID, to: CommitID)] = []
    for line in log.split(separator: UInt8(ascii: "\n")).reversed() {
      guard let tab = line.firstIndex(of: UInt8(ascii: "\t")), line.count > 81,
        let old = ObjectID(String(decoding: line.prefix(40), as: UTF8.self)),
        let new = ObjectID(String(decoding: line.dropFirst(41).prefix(40), as: UTF8.self))
      else { return [] }
      if new == known { return moves.reversed() }
      let message = line[(tab + 1)...]
      if Self.updates.contains(where: { message.starts(with: $0.utf8) }) {
        moves.append((old, new))
      }
    }
    return []
  }
}
