import DiaryCore
import EntryFiles
import EntryFormats
import EntryIndex
import Foundation
import Localization

/// What an import did.
package struct ImportOutcome: Sendable {
  /// The new entries, in the order of the file.
  package var added: [EntryPath] = []
  /// Items that an earlier import has brought already.
  package var known = 0
  /// The commit that holds them.
  package var save = SaveOutcome()
}

extension Journal {
  /// Digests of the items that were imported on this device, so that a second import adds nothing
  /// even when the entry has been edited, renamed or deleted since.
  private var imported: StateFile<[String]> {
    StateFile("imported.json", in: stateFolder, empty: [])
  }

  /// Counts items as imported, or as not.
  func remember(imported marks: [String], _ areImported: Bool) throws {
    try imported.change { all in
      let set = Set(all)
      all = (areImported ? set.union(marks) : set.subtracting(marks)).sorted()
    }
  }

  /// Takes in a phone app's export (`[{"title", "body", "created_at"}]`): one entry an item, one
  /// commit. A malformed file is refused whole.
  package func importEntries(
    from bytes: [UInt8], named name: String,
    progress: @Sendable (_ done: Int, _ of: Int) -> Void
  ) async throws -> ImportOutcome {
    let items: [ImportedEntry]
    do { items = try parsePhoneExport(bytes) } catch {
      throw DiaryError(
        localized("cannot import \(name): \(error)"),
        hint: localized("nothing was imported; fix the file and try again"))
    }
    _ = try await refresh()
    return try await exclusively { try await self.takeIn(items, progress) }
  }

  private func takeIn(
    _ items: [ImportedEntry], _ progress: @Sendable (Int, Int) -> Void
  ) async throws -> ImportOutcome {
    let before = Set(try imported.load())
    let laid = try layOut(items, knowing: before, progress)
    let act = OperationDraft(
      verb: .import, subject: Journal.entryCount(laid.added.count), commit: try await stateName(),
      marks: laid.marks.subtracting(before).sorted())
    let save = try await saveCommandChanges(laid.added, as: act)
    try imported.write(laid.marks.sorted())
    return ImportOutcome(added: laid.added, known: laid.known, save: save)
  }

  /// Makes the files of the items that are new here.
  private func layOut(
    _ items: [ImportedEntry], knowing before: Set<String>, _ progress: (Int, Int) -> Void
  ) throws -> (added: [EntryPath], known: Int, marks: Set<String>) {
    var new: [(title: String, date: EntryDate, path: EntryPath, bytes: [UInt8])] = []
    var planned: Set<EntryPath> = []
    var marks = before
    var copies: [String: Int] = [:]
    var numbers: [EntryPath: Int] = [:]
    let present = try presentEntries()
    for (index, item) in items.enumerated() {
      progress(index, items.count)
      let text = try text(of: item)
      // Twins in one file are items of their own: the second of them has a digest of its own.
      let twin = copies[digest(text), default: 0]
      copies[digest(text)] = twin + 1
      let mark = digest(text + Array("\(twin)".utf8))
      let isKnown = marks.contains(mark) || present[digest(text), default: 0] > twin
      marks.insert(mark)
      if isKnown { continue }
      let date = date(of: item)
      let isUntitled = item.title.allSatisfy(\.isWhitespace)
      let title = isUntitled ? self.title(of: EntryText(text), dated: date) ?? "" : item.title
      let path = try freePath(title: title, date: date, numbers: &numbers) {
        planned.contains($0) || folder.has($0)
      }
      planned.insert(path)
      new.append((title, date, path, text))
    }
    let taken = try folder.create(new.map { ($0.path, $0.bytes) })
    let added = try new.map { new in
      guard taken.contains(new.path) else { return new.path }
      return try createEntry(
        title: new.title, date: new.date, numbers: &numbers, syncsName: false
      ) { _ in new.bytes }
    }
    progress(items.count, items.count)
    return (added, items.count - added.count, marks)
  }

  private func date(of item: ImportedEntry) -> EntryDate {
    let offset = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(item.createdAt)))
    return EntryDate(instant: item.createdAt, offset: offset)
      ?? EntryDate(date: .epoch, seconds: 0, offset: 0)
  }

  /// The entry's file: title and date in the header, the body as it came.
  private func text(of item: ImportedEntry) throws -> [UInt8] {
    var text = EntryText(Array(item.body.utf8))
    // A body that looks like a header of its own must not become one.
    if text.headerKind != .none { text = EntryText(Array("---\n---\n\n".utf8) + text.bytes) }
    if !item.title.isEmpty { try text.set("title", .text(item.title)) }
    try text.set("date", .text(date(of: item).description))
    return text.bytes.last == UInt8(ascii: "\n") ? text.bytes : text.bytes + [UInt8(ascii: "\n")]
  }

  /// How often each text stands in the journal: an import on one device must not repeat what another
  /// device has imported and synced.
  private func presentEntries() throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for entry in try catalog.list(ListFilter()) {
      guard let file = try folder.read(entry.path) else { continue }
      counts[digest(file.bytes), default: 0] += 1
    }
    return counts
  }
}

/// A short name for bytes: FNV-1a over 128 bits' worth of two seeds. It tells items of one person's
/// diary apart; nothing depends on its resisting an attacker.
func digest(_ bytes: [UInt8]) -> String {
  var first: UInt64 = 0xcbf2_9ce4_8422_2325
  var second: UInt64 = 0x6c62_272e_07bb_0142
  for byte in bytes {
    first = (first ^ UInt64(byte)) &* 0x100_0000_01b3
    second = (second ^ UInt64(byte)) &* 0x9e37_79b9_7f4a_7c15
    second ^= second >> 29
  }
  return String(first, radix: 16) + String(second, radix: 16)
}
