/// One file of a save or a sitting, as its commit message tells it.
package struct ChangedFile: Hashable, Sendable {
  /// What happened to it.
  package enum Change: Hashable, Sendable {
    case written
    case edited
    case deleted
    /// With the title that it had before; its path when it is no entry.
    case renamed(from: String)
    /// Under the title that it had before.
    case moved
  }

  /// Where it is now (where it was, when deleted).
  package var path: EntryPath
  /// The entry's title; `nil` for a file that is no entry.
  package var title: String?
  /// What happened to it.
  package var change: Change
  /// How many words it has more than before (fewer when negative); `nil` or 0 is not told.
  package var wordChange: Int?

  package init(path: EntryPath, title: String?, change: Change, wordChange: Int? = nil) {
    self.path = path
    self.title = title
    self.change = change
    self.wordChange = wordChange
  }
}

/// The message of a commit: `Write "A walk by the river" (+120 words)`; of several entries
/// `Edit 3 entries` and a list. The same for the same changes, in whatever order they come.
package func commitMessage(_ changes: [ChangedFile]) -> String {
  let changes = changes.sorted { $0.path < $1.path }
  let entries = changes.filter { $0.title != nil }
  let listed = entries.isEmpty ? changes : entries
  let subject: String
  if let only = listed.first, listed.count == 1 {
    subject = line(only)
  } else {
    let verbs = Set(listed.map { verb($0.change) })
    let common = verbs.count == 1 ? verbs.first ?? "Edit" : commonVerb(verbs)
    subject =
      listed.isEmpty ? "Save" : "\(common) \(listed.count) \(entries.isEmpty ? "files" : "entries")"
  }
  guard changes.count > 1 else { return subject }
  // A first sync of thousands of files needs no list that nobody reads.
  let limit = 200
  var list = changes.prefix(limit).map { line($0) }
  if changes.count > limit { list.append("and \(changes.count - limit) more") }
  return subject + "\n\n" + list.joined(separator: "\n")
}

private func commonVerb(_ verbs: Set<String>) -> String {
  verbs.isSubset(of: ["Write", "Edit"]) ? "Edit" : "Change"
}

private func line(_ file: ChangedFile) -> String {
  let name = file.title.map(quoted) ?? oneLine(file.path.text)
  var line = "\(verb(file.change)) \(name)"
  if case .renamed(let old) = file.change {
    line = "Rename \(file.title == nil ? oneLine(old) : quoted(old)) to \(name)"
  } else if case .moved = file.change {
    line += " to \(oneLine(file.path.text))"
  }
  if let words = file.wordChange, words != 0 {
    line += " (\(words > 0 ? "+" : "")\(words) \(abs(words) == 1 ? "word" : "words"))"
  }
  return line
}

private func verb(_ change: ChangedFile.Change) -> String {
  switch change {
  case .written: "Write"
  case .edited: "Edit"
  case .deleted: "Delete"
  case .renamed: "Rename"
  case .moved: "Move"
  }
}

private func quoted(_ title: String) -> String { "\"\(truncated(oneLine(title), toWidth: 60))\"" }

private func oneLine(_ text: String) -> String { terminalLine(text) }
