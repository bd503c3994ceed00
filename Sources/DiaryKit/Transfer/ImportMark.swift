import DiaryCore
import Foundation
import GitHistory

/// The record of an item that was imported on this device.
struct ImportMark: Codable, Sendable, Equatable {
  /// A reason for which the journal does not contain the item's entry.
  enum Absence: String, Codable { case deleted, undone }

  /// `source:NAME` for an entry whose header names its source, `file:NAME` for a file that keeps
  /// its bytes (with a number, if the files of two folders have the name), otherwise a digest of
  /// the item's text.
  var id: String
  /// The digest of the item at its last import; `nil` if the text identifies the item.
  var digest: String?
  /// The entry's path, percent-encoded.
  var path: String?
  /// The source's own text at the last import, which is the base of the next merge.
  var blob: String?
  /// The folder or archive of a file that keeps its bytes.
  var source: String?
  var absence: Absence?

  init(id: String, digest: String? = nil, path: EntryPath? = nil) {
    self.id = id
    self.digest = digest
    self.path = path?.percentEncoded
  }

  var entryPath: EntryPath? { path.flatMap { EntryPath(percentEncoded: $0) } }
  var blobID: ObjectID? { blob.flatMap { ObjectID($0) } }

  /// Reads also the former form of a mark, one string: `undone:` and the id, and for a file `=` and
  /// the digest.
  init(from decoder: any Decoder) throws {
    if let values = try? decoder.container(keyedBy: CodingKeys.self) {
      id = try values.decode(String.self, forKey: .id)
      digest = try values.decodeIfPresent(String.self, forKey: .digest)
      path = try values.decodeIfPresent(String.self, forKey: .path)
      blob = try values.decodeIfPresent(String.self, forKey: .blob)
      source = try values.decodeIfPresent(String.self, forKey: .source)
      absence = try values.decodeIfPresent(Absence.self, forKey: .absence)
      return
    }
    var text = try decoder.singleValueContainer().decode(String.self)[...]
    if text.hasPrefix("undone:") {
      text = text.dropFirst("undone:".count)
      absence = .undone
    }
    if text.hasPrefix("file:"), let end = text.lastIndex(of: "=") {
      digest = String(text[text.index(after: end)...])
      text = text[..<end]
    }
    id = String(text)
  }
}

/// The marks of a journal by their ids, stored as a sorted array.
struct ImportMarks: Codable, Sendable {
  private(set) var all: [String: ImportMark] = [:]

  init() {}

  init(from decoder: any Decoder) throws {
    let marks = try decoder.singleValueContainer().decode([ImportMark].self)
    all = Dictionary(marks.map { ($0.id, $0) }) { first, other in
      first.absence == nil ? first : other
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(all.values.sorted { $0.id < $1.id })
  }

  /// Makes a change.
  mutating func apply(_ change: ImportMarkChange) {
    guard let id = (change.after ?? change.before)?.id else { return }
    all[id] = change.after
  }

  subscript(id: String) -> ImportMark? {
    get { all[id] }
    set { all[id] = newValue }
  }
}

/// The change of a mark by an import, which an undo reverts.
struct ImportMarkChange: Codable, Sendable, Equatable {
  var before: ImportMark?
  var after: ImportMark?

  init(before: ImportMark?, after: ImportMark?) {
    self.before = before
    self.after = after
  }

  /// Reads also the former form, the new mark alone.
  init(from decoder: any Decoder) throws {
    if let values = try? decoder.container(keyedBy: CodingKeys.self) {
      before = try values.decodeIfPresent(ImportMark.self, forKey: .before)
      after = try values.decodeIfPresent(ImportMark.self, forKey: .after)
    } else {
      after = try ImportMark(from: decoder)
    }
  }

  /// The opposite change. An item that had no mark is marked as undone: its entry was not deleted.
  var reversed: ImportMarkChange {
    var former = before
    if former == nil, let after {
      former = ImportMark(id: after.id)
      former?.absence = .undone
    }
    return ImportMarkChange(before: after, after: former)
  }
}

extension Saver {
  /// Keeps the marks of imported entries at entries that moved, and records which of them were
  /// deleted or restored.
  func followImports(
    moves: [EntryPath: EntryPath], deleted: [EntryPath] = [], restored: [EntryPath] = []
  ) throws {
    guard mayHaveMarks(at: Array(moves.keys) + deleted + restored) else { return }
    let targets = Dictionary(
      uniqueKeysWithValues: moves.map { ($0.percentEncoded, $1.percentEncoded) })
    let (gone, back) = (Set(deleted.map(\.percentEncoded)), Set(restored.map(\.percentEncoded)))
    var marks = try journal.state.imports.load()
    var isChanged = false
    for mark in marks.all.values {
      guard let path = mark.path else { continue }
      var new = mark
      if mark.absence == .deleted {
        if back.contains(path) { new.absence = nil }
      } else if let target = targets[path] {
        new.path = target
      } else if gone.contains(path) {
        new.absence = .deleted
      }
      guard new != mark else { continue }
      marks[mark.id] = new
      isChanged = true
    }
    if isChanged { try journal.state.imports.write(marks) }
  }

  /// False if no mark names one of the paths. A few paths are searched as text, which is much
  /// faster than reading many marks.
  private func mayHaveMarks(at paths: [EntryPath]) -> Bool {
    guard !paths.isEmpty,
      let data = try? Data(
        contentsOf: URL(fileURLWithPath: journal.state.imports.path), options: .alwaysMapped)
    else { return false }
    if paths.count > 16 { return true }
    return paths.contains { path in
      let name = path.percentEncoded.split(separator: "/").last ?? ""
      return name.contains("\"") || name.contains("\\")
        || data.range(of: Data(name.utf8)) != nil
    }
  }
}
