import DiaryCore

/// A file of a save or a sitting, as its commit message describes it.
struct ChangedFile: Hashable, Sendable {
  /// The kind of change.
  enum Change: Hashable, Sendable {
    case written
    case edited
    case deleted
    /// Renamed from this title, or from this path if the file is not an entry.
    case renamed(from: String)
    /// Moved to another path, with an unchanged title.
    case moved
  }

  /// The current path; of a deleted file, the last one.
  var path: EntryPath
  /// The entry's title; `nil` if the file is not an entry.
  var title: String?
  var change: Change
  /// The change in the number of words, negative for fewer; `nil` and 0 are not shown.
  var wordChange: Int?

  init(path: EntryPath, title: String?, change: Change, wordChange: Int? = nil) {
    self.path = path
    self.title = title
    self.change = change
    self.wordChange = wordChange
  }
}

/// The message of a commit: `Write "A walk by the river" (+120 words)`, or for several entries
/// `Edit 3 entries` and a list. It does not depend on the order of the changes.
func commitMessage(_ changes: [ChangedFile]) -> String {
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
  // Limit the list: nobody reads thousands of lines after a first sync.
  let limit = 200
  var list = changes.prefix(limit).map { line($0) }
  if changes.count > limit { list.append("and \(changes.count - limit) more") }
  return subject + "\n\n" + list.joined(separator: "\n")
}

private func commonVerb(_ verbs: Set<String>) -> String {
  verbs.isSubset(of: ["Write", "Edit"]) ? "Edit" : "Change"
}

private func line(_ file: ChangedFile) -> String {
  let name = file.title.map(quoted) ?? terminalLine(file.path.text)
  var line = "\(verb(file.change)) \(name)"
  if case .renamed(let old) = file.change {
    line = "Rename \(file.title == nil ? terminalLine(old) : quoted(old)) to \(name)"
  } else if case .moved = file.change {
    line += " to \(terminalLine(file.path.text))"
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

private func quoted(_ title: String) -> String {
  "\"\(truncated(terminalLine(title), toWidth: 60))\""
}
