import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory

/// What a look at some paths found to save, and what it left alone.
struct Gathered: Sendable {
  var changes: [FileChange] = []
  /// Gone from the disk although the branch has them, and too many at once, or without a sure sign
  /// that someone deleted them.
  var missing: [EntryPath] = []
  /// Left out for a reason that the writer should hear.
  var leftOut: [LeftOut] = []
}

/// A file that is not saved, and why.
public struct LeftOut: Sendable, Hashable {
  /// The file.
  public var path: EntryPath
  /// Why, as the rest of a sentence that begins with the path.
  public var reason: String
}

/// The size over which a file is left out of the repository: 50 MB, as git hosts recommend.
let largestSavedFile: Int64 = 50 << 20

/// How many entries may be found missing at a start before somebody must confirm it.
let mostSilentDeletions = 20

extension Journal {
  /// Reads what lies at `paths` now and says what of it is to be saved.
  ///
  /// - Parameter sureDeletions: paths that a verb has deleted itself, or all of them when the writer
  ///   has confirmed what is missing.
  func gather(
    _ paths: [EntryPath], atStart: Bool, sureDeletions: DeletionTrust = .look
  ) async throws -> Gathered {
    var found = Gathered()
    var gone: [EntryPath] = []
    let rules = SavedPaths(self)
    let wanted = rules.wanted(paths)
    let unusual = try await repository.unusualAttributes(wanted)
    let ignored = try await repository.ignored(wanted)
    let blanks = blankEntries
    for path in wanted where !ignored.contains(path) {
      if let filter = unusual[path] {
        found.leftOut.append(
          LeftOut(path: path, reason: "is under \(filter), which Diary leaves to git"))
        continue
      }
      if let stamp = try folder.stamp(path), stamp.size > largestSavedFile {
        found.leftOut.append(LeftOut(path: path, reason: "is larger than 50 MB"))
        continue
      }
      guard let text = read(path, into: &found) else {
        if found.leftOut.last?.path != path { gone.append(path) }
        continue
      }
      if blanks[path.text].map({ Array($0.utf8) == text.bytes }) == true { continue }
      found.changes.append(
        .write(path, text.bytes, executable: text.stamp.mode & 0o111 != 0))
    }
    try await judge(gone, atStart: atStart, trust: sureDeletions, into: &found)
    return found
  }

  private func read(_ path: EntryPath, into found: inout Gathered) -> FileText? {
    do {
      return try folder.read(path)
    } catch {
      found.leftOut.append(LeftOut(path: path, reason: "cannot be read: \(error)"))
      return nil
    }
  }

  /// Promise 7: a file that is absent is not yet deleted.
  private func judge(
    _ gone: [EntryPath], atStart: Bool, trust: DeletionTrust, into found: inout Gathered
  ) async throws {
    guard !gone.isEmpty else { return }
    let known = try await repository.known(gone)
    var sure: [EntryPath] = []
    for path in gone where known.contains(path) {
      switch trust {
      case .confirmed: sure.append(path)
      case .these(let paths) where paths.contains(path): sure.append(path)
      case .these, .look:
        if case .absent = folder.presence(of: path) {
          sure.append(path)
        } else {
          found.missing.append(path)
        }
      }
    }
    if atStart, trust == .look, sure.count > mostSilentDeletions || !found.missing.isEmpty {
      found.missing += sure
      sure = []
    }
    found.missing.sort()
    found.changes += sure.map { .delete($0) }
  }
}

/// How far a path's absence may be taken for a deletion.
enum DeletionTrust: Sendable, Equatable {
  /// The folder must show it (promise 7).
  case look
  /// A verb has just deleted these.
  case these(Set<EntryPath>)
  /// The writer said so (`diary save --deletions`).
  case confirmed
}

/// Which paths Diary saves in this journal (autosave.md 4 and 5, in docs/autosave.md).
struct SavedPaths {
  private let journal: Journal
  private let entries: EntryRules

  init(_ journal: Journal) {
    self.journal = journal
    entries = EntryRules(settings: journal.settings)
  }

  /// The paths that are saved, in order; in an adopted folder an attachment is saved when one of
  /// the entries refers to it.
  func wanted(_ paths: [EntryPath]) -> [EntryPath] {
    var wanted: Set<EntryPath> = []
    var attachments: [EntryPath] = []
    for path in paths {
      switch kind(of: path) {
      case .entry:
        wanted.insert(path)
        if journal.savedFiles == .entries { wanted.formUnion(journal.referencedFiles(of: path)) }
      case .settings, .file: wanted.insert(path)
      case .attachment: attachments.append(path)
      case .never: break
      }
    }
    for path in attachments where journal.savedFiles == .all || journal.isReferenced(path) {
      wanted.insert(path)
    }
    return wanted.sorted()
  }

  enum Kind { case entry, settings, attachment, file, never }

  func kind(of path: EntryPath) -> Kind {
    if let list = journal.settings.indexFile, path == list {
      return journal.settings.indexIsCommitted ? .file : .never
    }
    if path.text == ".diary/config.yml" || path.text.hasPrefix(".diary/templates/") {
      return FileName.isNeverSaved(path) ? .never : .settings
    }
    if path.isHidden || FileName.isNeverSaved(path) || FileName.isSecret(path) { return .never }
    if entries.isEntry(path) { return .entry }
    if FileName.isMedia(path) { return .attachment }
    return journal.savedFiles == .all ? .file : .never
  }
}

extension Journal {
  /// The files that the entry at `path` shows or links to, inside the journal.
  func referencedFiles(of path: EntryPath) -> [EntryPath] {
    guard let text = try? folder.read(path) else { return [] }
    return references(in: EntryText(text.bytes).body, of: path).filter {
      folder.has($0) && !$0.isHidden
    }
  }

  /// Whether an entry of the list refers to the file; asks the index for the entries that name it.
  func isReferenced(_ path: EntryPath) -> Bool {
    guard let entries = try? mentions(of: path.name) else { return false }
    return entries.contains { referencedFiles(of: $0).contains(path) }
  }

  /// The entries in whose text a file's name stands, as it is or percent-encoded.
  func mentions(of name: String) throws -> [EntryPath] {
    let encoded = name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name
    return try Set([name, encoded]).flatMap { spelling in
      try catalog.search(.terms([SearchQuery.Term(spelling)])).map(\.listed.path)
    }
  }
}
