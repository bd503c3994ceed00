import DiaryCore
import Localization

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

/// The message of a commit, in English: `Write "A walk by the river" (+120 words)`, or for several
/// entries `Edit 3 entries` and a list. It does not depend on the order of the changes.
func commitMessage(_ changes: [ChangedFile]) -> String {
  inEnglish {
    let subject = commitSubject(changes)
    guard changes.count > 1 else { return subject }
    let changes = changes.sorted { $0.path < $1.path }
    // Limit the list: nobody reads thousands of lines after a first sync.
    let limit = 200
    var list = changes.prefix(limit).map { line($0) }
    if changes.count > limit { list.append("and \(changes.count - limit) more") }
    return subject + "\n\n" + list.joined(separator: "\n")
  }
}

/// The first line of ``commitMessage(_:)``, in the user's language.
func commitSubject(_ changes: [ChangedFile]) -> String {
  let entries = changes.filter { $0.title != nil }
  let listed = entries.isEmpty ? changes : entries
  guard let first = listed.first else { return localized("Save") }
  if listed.count == 1 { return line(first) }
  // A rename with the links to the old name.
  let (others, edited) = (
    listed.filter { $0.change != .edited }, listed.count { $0.change == .edited }
  )
  if !entries.isEmpty, others.count == 1, [.move, .rename].contains(Action(others[0].change)) {
    return localized("\(line(others[0])), edit \(counted(edited, "entry", "entries"))")
  }
  let count =
    entries.isEmpty
    ? counted(listed.count, "file", "files") : counted(listed.count, "entry", "entries")
  let actions = Set(listed.map { Action($0.change) })
  if let only = actions.first, actions.count == 1 { return only.text(count) }
  return (actions.isSubset(of: [.write, .edit]) ? Action.edit : .change).text(count)
}

private func line(_ file: ChangedFile) -> String {
  let name = file.title.map(quoted) ?? terminalLine(file.path.text)
  var line = Action(file.change).text(name)
  if case .renamed(let old) = file.change {
    let oldName = file.title == nil ? terminalLine(old) : quoted(old)
    line = localized("Rename \(oldName) to \(name)")
  } else if case .moved = file.change {
    line = localized("Move \(name) to \(terminalLine(file.path.text))")
  }
  if let words = file.wordChange, words != 0 {
    line += " (" + (words > 0 ? "+" : "-") + counted(abs(words), "word", "words") + ")"
  }
  return line
}

/// The kind of change of a file, or of several. A subject begins with its name.
private enum Action: String {
  case write, edit, delete, rename, move, change

  init(_ change: ChangedFile.Change) {
    self =
      switch change {
      case .written: .write
      case .edited: .edit
      case .deleted: .delete
      case .renamed: .rename
      case .moved: .move
      }
  }

  /// The action on an entry or on a number of them.
  func text(_ object: String) -> String {
    switch self {
    case .write: localized("Write \(object)")
    case .edit: localized("Edit \(object)")
    case .delete: localized("Delete \(object)")
    case .rename: localized("Rename \(object)")
    case .move: localized("Move \(object)")
    case .change: localized("Change \(object)")
    }
  }
}

private func quoted(_ title: String) -> String {
  "\"\(truncated(terminalLine(title), toWidth: 60))\""
}

/// The first line of a commit message in the user's language, if it is one that Diary writes about
/// entries; any other line as it is.
package func localizedSubject(_ subject: String) -> String {
  let form =
    #/
    (\w+)\ (?:(".*")\ to\ )? (?:(".*")|([\d,]+)\ (entry|entries)|(\S.*\.\w+)) (?:\ \(([+-])([\d,]+)\ words?\))?
    /#
  guard let match = subject.wholeMatch(of: form) else { return subject }
  let (_, verb, old, title, count, _, path, sign, words) = match.output
  func number(_ digits: Substring?) -> Int? { digits.flatMap { Int($0.replacing(",", with: "")) } }
  func text() -> String? {
    let amount = number(count).map { counted($0, "entry", "entries") }
    guard let object = (title ?? path).map({ String($0) }) ?? amount else { return nil }
    let action: String
    switch (verb, old) {
    case ("Rename", let old?): action = localized("Rename \(String(old)) to \(object)")
    case ("Move", let old?): action = localized("Move \(String(old)) to \(object)")
    case _ where old != nil || path != nil: return nil
    case ("Restore", _): action = localized("Restore \(object)")
    default:
      guard let known = Action(rawValue: verb.lowercased()) else { return nil }
      action = known.text(object)
    }
    guard let sign, let words = number(words) else { return action }
    return "\(action) (\(sign)\(counted(words, "word", "words")))"
  }
  // A line that only looks like one of Diary's stays.
  return inEnglish(text) == subject ? text() ?? subject : subject
}
