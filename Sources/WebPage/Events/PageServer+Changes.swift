import DiaryCore
import DiaryKit
import Foundation

extension PageServer {
  /// Sends changes of the journal to the pages, until the stream ends.
  func sendEvents(for changes: AsyncStream<JournalChange>, of watch: PageWatch) async {
    for await change in changes {
      // A journal that reappeared may be another folder than the one held open.
      if case .everything = change { replaceJournal(await watch.journal) }
      guard events.count > 0 else { continue }
      await sendEvent(for: change)
    }
  }

  private func sendEvent(for change: JournalChange) async {
    switch change {
    case .rows(let changed, let gone, let moved):
      let pairs = moved.map { ($0.key.text, $0.value.text) }
      send(
        "rows",
        Rows(
          all: false, changed: changed.map(\.text), gone: gone.map(\.text),
          moved: Dictionary(pairs) { first, _ in first }))
    case .everything: send("rows", Rows(all: true, changed: [], gone: [], moved: [:]))
    case .saved(let path, let version): send("saved", Saved(path: path.text, version: version))
    case .editorChanged(let path, let holder): send("held", Held(path: path.text, by: holder))
    case .status: send("status", Status())
    }
  }

  private func send(_ name: String, _ value: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let json = try? encoder.encode(value) else { return }
    events.send(name, json: Array(json))
  }

  /// Changed rows of the list; with `all`, the page reloads every row.
  private struct Rows: Encodable {
    let all: Bool
    let changed: [String]
    let gone: [String]
    let moved: [String: String]
  }

  private struct Saved: Encodable {
    let path: String
    let version: String
  }

  private struct Held: Encodable {
    let path: String
    let by: String?
  }

  /// The result of `diary status` has changed.
  private struct Status: Encodable {}
}
