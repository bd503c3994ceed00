import CLibgit2
import DiaryCore
import Glibc

/// When a commit is made, by the writer's clock.
struct CommitTime {
  /// Seconds since 1970.
  var seconds: Int
  var offsetMinutes: Int

  /// As git writes it: `1700000000 +0900`.
  var text: String {
    let minutes = abs(offsetMinutes)
    let zone = String((minutes / 60 * 100) + minutes % 60)
    let padding = String(repeating: "0", count: max(0, 4 - zone.count))
    return "\(seconds) \(offsetMinutes < 0 ? "-" : "+")\(padding)\(zone)"
  }
}

/// A commit on a saves ref. The last line of its message says which commit of the branch it was made
/// on, since one parent alone may be either that or the save before.
struct SaveCommit {
  static let tipKey = "Diary-Tip: "
  static let sittingKey = "Diary-CommitRequest: "

  var id: CommitID
  var tree: ObjectID
  var time: Int
  /// The branch's commit that it was made on; `nil` before the branch's first.
  var tip: CommitID?
  var previous: CommitID?
  /// Made by the end of a sitting, not by a save.
  var isSitting: Bool
}

extension GitRepository {
  /// Writes a commit object, by the writer unless somebody else is named; no reference moves.
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
      // A tip that is no parent could be pruned; only parents are trusted.
      let tip = parents.count > 1 ? parents[1] : parents.first { $0 == named }
      return SaveCommit(
        id: id, tree: try tree(of: object, id), time: Int(git_commit_time(object)), tip: tip,
        previous: parents.first { $0 != tip },
        isSitting: lines.contains { $0.hasPrefix(SaveCommit.sittingKey) })
    }
  }

  /// The newest save of the present branch; `nil` when there is none.
  func newestSave(_ head: Head) throws(GitError) -> SaveCommit? {
    guard let id = try target(of: savesReference(head)) else { return nil }
    return try saveCommit(id)
  }

  /// The newest save of the present branch, and its time in seconds since 1970.
  package func lastSave() throws(GitError) -> (commit: CommitID, time: Int)? {
    var save = try newestSave(head())
    while let found = save {
      if !found.isSitting { return (found.id, found.time) }
      save = try found.previous.map { id throws(GitError) in try saveCommit(id) }
    }
    return nil
  }
}
