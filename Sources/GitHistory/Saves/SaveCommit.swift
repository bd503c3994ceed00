import CLibgit2

/// The time of a commit, by the user's clock.
struct CommitTime {
  /// Seconds since 1970.
  var seconds: Int
  var offsetMinutes: Int

  /// The time in git's format: `1700000000 +0900`.
  var text: String {
    let minutes = abs(offsetMinutes)
    let zone = String((minutes / 60 * 100) + minutes % 60)
    let padding = String(repeating: "0", count: max(0, 4 - zone.count))
    return "\(seconds) \(offsetMinutes < 0 ? "-" : "+")\(padding)\(zone)"
  }
}

/// A commit on a saves ref. The last line of its message names the commit of the branch that it was
/// made on, since a single parent may be either that or the previous save.
struct SaveCommit {
  static let tipKey = "Diary-Tip: "
  static let sittingKey = "Diary-Sitting: "
  /// The former name of ``sittingKey``, from development versions. It is read and not written.
  static let formerSittingKey = "Diary-CommitRequest: "

  /// True if a line of a message says that the end of a sitting made the commit.
  static func isSittingLine(_ line: some StringProtocol) -> Bool {
    line.hasPrefix(sittingKey) || line.hasPrefix(formerSittingKey)
  }

  var id: CommitID
  var tree: ObjectID
  var time: Int
  /// The commit of the branch that the save was made on, or `nil` before the branch's first.
  var tip: CommitID?
  var previous: CommitID?
  /// True if the end of a sitting made the commit, not a save.
  var isSitting: Bool
}

extension GitRepository {
  /// Writes a commit object, by the user unless a signature is given. No ref is moved.
  func writeCommit(
    tree: ObjectID, parents: [CommitID], message: String, by signature: GitSignature? = nil,
    at time: CommitTime, _ objects: inout ObjectBatch
  ) throws(GitError) -> CommitID {
    let person = signatureLine(signature ?? identity(), time)
    var text = "tree \(tree)\n"
    for parent in parents { text += "parent \(parent)\n" }
    text += "author \(person)\ncommitter \(person)\n\n"
    text += message.replacing("\0", with: "")
    if !text.hasSuffix("\n") { text += "\n" }
    return try newObject(Array(text.utf8), GIT_OBJECT_COMMIT, &objects)
  }

  func signatureLine(_ person: GitSignature, _ time: CommitTime) -> String {
    "\(person.name) <\(person.email)> \(time.text)"
  }

  /// Reads a commit of a saves ref.
  func saveCommit(_ id: CommitID) throws(GitError) -> SaveCommit {
    try withCommit(id) { object throws(GitError) in
      let parents = parents(of: object)
      let lines = message(of: object).split(separator: "\n")
      let tipLine = lines.last { $0.hasPrefix(SaveCommit.tipKey) }
      let named = tipLine.flatMap { ObjectID($0.dropFirst(SaveCommit.tipKey.count)) }
      // A tip that is not a parent could be pruned, so only parents are trusted.
      let tip = parents.count > 1 ? parents[1] : parents.first { $0 == named }
      return SaveCommit(
        id: id, tree: try tree(of: object, id), time: Int(git_commit_time(object)), tip: tip,
        previous: parents.first { $0 != tip },
        isSitting: lines.contains { SaveCommit.isSittingLine($0) })
    }
  }

  /// Returns the newest save of the current branch, or `nil` if there is none.
  func newestSave(_ head: Head) throws(GitError) -> SaveCommit? {
    guard let id = try target(of: savesReference(head)) else { return nil }
    return try saveCommit(id)
  }

  /// Returns the newest save of the current branch, and its time in seconds since 1970.
  package func lastSave() throws(GitError) -> (commit: CommitID, time: Int)? {
    var save = try newestSave(head())
    while let found = save {
      if !found.isSitting { return (found.id, found.time) }
      save = try found.previous.map { id throws(GitError) in try saveCommit(id) }
    }
    return nil
  }
}
