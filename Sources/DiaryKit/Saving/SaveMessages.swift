import DiaryCore
import Foundation
import GitHistory
import Synchronization

/// The message of a save on the saves ref: the changed files in one line.
func saveSummary(_ changes: [FileChange]) -> String {
  commitMessage(
    changes.map { change in
      switch change {
      case .write(let path, _, _): ChangedFile(path: path, title: nil, change: .edited)
      case .delete(let path): ChangedFile(path: path, title: nil, change: .deleted)
      }
    })
}

/// The changes of a sitting's commit, for its message.
func changedFiles(
  _ changes: [CommittedChange], settings: Settings, zone: TimeZone
) -> [ChangedFile] {
  let renames = CommitRenames(changes)
  return changes.compactMap { change in
    if renames.sources.contains(change.path) { return nil }
    func entry(_ path: EntryPath, _ bytes: [UInt8]?) -> Entry? {
      guard let bytes, path.isMarkdown, !path.isHidden else { return nil }
      let text = EntryText(Array(bytes.prefix(maxEntryBytes)))
      return Entry(path: path, text: text, settings: settings, zone: zone)
    }
    let source = renames.source(of: change)
    let old = entry(source?.path ?? change.path, source?.oldBytes ?? change.oldBytes)
    let new = entry(change.path, change.newBytes)
    let kind: ChangedFile.Change =
      if let source {
        old?.title != nil && old?.title == new?.title
          ? .moved : .renamed(from: old?.title ?? source.path.text)
      } else if change.new == nil {
        .deleted
      } else {
        change.old == nil ? .written : .edited
      }
    // Words are not counted if a text is longer than the part that is read.
    let before = source ?? change
    let texts = [
      change.new == nil ? [] : change.newBytes, before.old == nil ? [] : before.oldBytes,
    ]
    let isCounted = texts.allSatisfy { ($0?.count ?? .max) <= maxEntryBytes }
    let words = isCounted ? new.map { $0.words - (old?.words ?? 0) } : nil
    return ChangedFile(
      path: change.path, title: (new ?? old)?.title, change: kind, wordChange: words)
  }
}

/// The renames among the deletions and additions of one commit.
private struct CommitRenames {
  private var pairs: [EntryPath: CommittedChange] = [:]
  var sources: Set<EntryPath> { Set(pairs.values.map(\.path)) }

  init(_ changes: [CommittedChange]) {
    let removed = changes.filter { $0.new == nil }
    let found = renamesInHistory(
      removed: removed.compactMap { change in
        change.old.map {
          RenameCandidate(path: change.path, contentID: $0.bytes, bytes: change.oldBytes)
        }
      },
      added: changes.filter { $0.old == nil }.compactMap { change in
        change.new.map {
          RenameCandidate(path: change.path, contentID: $0.bytes, bytes: change.newBytes)
        }
      }
    ) { $0.bytes }
    pairs = found.compactMapValues { old in removed.first { $0.path == old } }
  }

  func source(of change: CommittedChange) -> CommittedChange? { pairs[change.path] }
}

/// A box that passes the message, and its subject in the user's language, out of the closure that
/// the commit calls.
final class MessageBox: Sendable {
  private let stored = Mutex((message: "", subject: ""))
  var texts: (message: String, subject: String) { stored.withLock { $0 } }
  func set(_ message: String, subject: String) -> String {
    stored.withLock { $0 = (message, subject) }
    return message
  }
}
