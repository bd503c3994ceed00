import DiaryCore
import DiaryKit
import Foundation
import HummingbirdCore

/// The part of the list that an address asks for.
struct ListRequest: Sendable {
  /// Where the part begins or ends.
  enum Place: Sendable {
    case newest
    case after(ListCursor)
    case before(ListCursor)
    /// An entry's row or a day, with the rows above and below it.
    case around(ListCursor)
  }

  var place = Place.newest
  /// The search text; `nil` for all entries.
  var words: String?
  /// The tag as it was asked for, to show it.
  var tag: String?
  /// The filter without a place and a limit.
  var filter = ListFilter()

  /// True if every entry is in the list.
  var isWhole: Bool { words == nil && filter == ListFilter() }
}

extension PageContext {
  /// Reads `q`, `tag`, `starred`, `from`, `to`, and one of `after`, `before` and `at`.
  func listRequest() async throws -> ListRequest {
    var wanted = ListRequest()
    wanted.words = query("q").flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
    wanted.tag = query("tag").flatMap { $0.isEmpty ? nil : $0 }
    wanted.filter = ListFilter(
      since: try day("from"), until: try day("to"),
      tags: wanted.tag.map { [foldedForSearch($0)] } ?? [])
    wanted.filter.isStarred = query("starred") == "1"
    if let cursor = try cursor("after") {
      wanted.place = .after(cursor)
    } else if let cursor = try cursor("before") {
      wanted.place = .before(cursor)
    } else if let cursor = try await cursorAtAddress() {
      wanted.place = .around(cursor)
    }
    return wanted
  }

  /// The cursor of `at`, an entry's path or a day; `nil` without it, or if there is no such entry.
  private func cursorAtAddress() async throws -> ListCursor? {
    guard let field = queryField("at", in: request.uri.query ?? "") else { return nil }
    if let day = Day(iso: String(field)) {
      // Above all rows of that day, so they are the first below.
      return ListCursor(day: day.adding(1), instant: .min, path: .lowest)
    }
    guard let path = EntryPath(urlPath: field) else { return nil }
    return try await journal.catalog.summary(at: await currentPath(of: path))?.cursor
  }

  private func day(_ name: String) throws -> Day? {
    try query(name).map { text in
      guard let day = Day(iso: text) else { throw PageFailure.malformed }
      return day
    }
  }

  /// The cursor of a field of the address.
  func cursor(_ name: String) throws -> ListCursor? {
    try query(name).map { text in
      guard let cursor = ListCursor(text) else { throw PageFailure.malformed }
      return cursor
    }
  }
}

extension EntryPath {
  /// A path before those of all entries.
  fileprivate static var lowest: EntryPath {
    guard let path = EntryPath("!") else { preconditionFailure("a path") }
    return path
  }
}

extension Day {
  /// The day of an ISO 8601 date, `2026-11-21`, and of no other text.
  init?(iso text: String) {
    guard let day = EntryDate(reading: text, zone: .gmt)?.date, day.description == text else {
      return nil
    }
    self = day
  }
}

extension ListCursor {
  /// The cursor in a URL: days since 1970, seconds since 1970, and the path's bytes in hex.
  var text: String {
    let numbers = [day?.ordinal, instant].map { $0.map(String.init) ?? "" }
    return (numbers + [hexadecimal(path.bytes)]).joined(separator: ".")
  }

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3,
      let path = bytes(hexadecimal: parts[2]).flatMap({ EntryPath(bytes: $0) })
    else { return nil }
    self.init(day: Int(parts[0]).flatMap { Day(ordinal: $0) }, instant: Int(parts[1]), path: path)
  }
}
