import DiaryCore

/// The addresses of a site: a page for each month with the full entries, and pages of rows that
/// link to them. Addresses are relative to the site's folder and are not percent-encoded.
package struct SiteMap: Sendable {
  /// A month of one year.
  package struct Month: Sendable {
    /// The first day of the month.
    package let first: Day
    /// The address of the month's page.
    package let page: String
    /// The entries, newest first.
    package let entries: [EntrySummary]
  }

  package struct Year: Sendable {
    package let year: String
    /// The months, newest first.
    package let months: [Month]
    package var count: Int { months.reduce(0) { $0 + $1.entries.count } }
    package var name: String { String(year.drop { $0 == "0" }) }
  }

  package struct Tag: Sendable {
    /// The first spelling of the tag.
    package let tag: String
    package let page: String
    package let entries: [EntrySummary]
  }

  /// A month of all years.
  package struct CalendarMonth: Sendable {
    /// `01` to `12`.
    package let name: String
    package let days: [CalendarDay]
    package var page: String { "days/\(name).html" }
  }

  /// A day of all years.
  package struct CalendarDay: Sendable {
    /// The day in the newest of these years.
    package let day: Day
    package let entries: [EntrySummary]
    package var anchor: String { "d" + SiteMap.twoDigits(day.components.day) }
  }

  /// The entries, newest first.
  package let entries: [EntrySummary]
  package let years: [Year]
  package let undated: [EntrySummary]
  package let tags: [Tag]
  package let calendar: [CalendarMonth]
  private let anchors: [EntryPath: String]
  private let months: [Month]

  /// - Parameter entries: newest first.
  package init(_ entries: [EntrySummary]) {
    self.entries = entries
    undated = entries.filter { $0.day == nil }
    let byMonth = Dictionary(grouping: entries.filter { $0.day != nil }) { entry in
      String((entry.day?.description ?? "").prefix(7))
    }
    months = byMonth.sorted { $0.key > $1.key }.compactMap { key, entries in
      let parts = key.split(separator: "-")
      guard parts.count == 2, let year = Int(parts[0]), let month = Int(parts[1]),
        let first = Day(year: year, month: month, day: 1)
      else { return nil }
      return Month(first: first, page: "\(parts[0])/\(parts[1]).html", entries: entries)
    }
    years = Dictionary(grouping: months) { String($0.page.prefix { $0 != "/" }) }
      .sorted { $0.key > $1.key }.map { Year(year: $0.key, months: $0.value) }
    tags = Self.tags(of: entries)
    calendar = Self.calendar(of: entries)
    var anchors: [EntryPath: String] = [:]
    for (page, entries) in months.map({ ($0.page, $0.entries) }) + [("undated.html", undated)] {
      var names = UniqueNames()
      // Start with the oldest, so that a new entry changes no older entry's address.
      for entry in entries.reversed() {
        anchors[entry.path] = page + "#" + names.name(for: entry.path.stem)
      }
    }
    self.anchors = anchors
  }

  /// The names of the parts of the search data: the years, and `undated`.
  package var searchParts: [String] { years.map(\.year) + (undated.isEmpty ? [] : ["undated"]) }

  /// Returns the address of an entry: its month's page, `#`, and its anchor.
  package func address(of path: EntryPath) -> String? { anchors[path] }

  /// Returns the anchor of an entry on its page.
  package func anchor(of path: EntryPath) -> String {
    anchors[path].map { String($0[$0.index(after: $0.lastIndex(of: "#") ?? $0.startIndex)...]) }
      ?? ""
  }

  package func month(after month: Month) -> Month? { neighbour(of: month, by: -1) }
  package func month(before month: Month) -> Month? { neighbour(of: month, by: 1) }

  private func neighbour(of month: Month, by step: Int) -> Month? {
    guard let index = months.firstIndex(where: { $0.page == month.page }) else { return nil }
    return months.indices.contains(index + step) ? months[index + step] : nil
  }

  /// Returns the percent-encoded link from one page to another address.
  package static func relativeLink(to address: String, from page: String) -> String {
    let folder = page.split(separator: "/").dropLast()
    let target = address.split(separator: "/")
    var shared = 0
    while shared < folder.count, shared < target.count - 1, folder[shared] == target[shared] {
      shared += 1
    }
    let path =
      String(repeating: "../", count: folder.count - shared)
      + target[shared...].joined(separator: "/")
    // In the name of a file of the journal, `#` is a normal character.
    let signs = address.hasPrefix("files/") ? "-_.~/" : "-_.~/#"
    let encoded = percentEncoded(path.utf8) {
      $0.isDigit || $0.isLetter || signs.utf8.contains($0)
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static func tags(of entries: [EntrySummary]) -> [Tag] {
    var groups: [String: (tag: String, entries: [EntrySummary])] = [:]
    for entry in entries {
      for tag in Set(entry.tags.map { $0.lowercased() }) {
        let spelled = entry.tags.first { $0.lowercased() == tag } ?? tag
        groups[tag, default: (spelled, [])].entries.append(entry)
      }
    }
    var names = UniqueNames()
    return groups.sorted { $0.key < $1.key }.map { key, group in
      Tag(tag: group.tag, page: "tags/\(names.name(for: key)).html", entries: group.entries)
    }
  }

  private static func calendar(of entries: [EntrySummary]) -> [CalendarMonth] {
    let byDay = Dictionary(grouping: entries.filter { $0.day != nil }) { entry in
      String((entry.day?.description ?? "").suffix(5))
    }
    let days = byDay.sorted { $0.key < $1.key }.compactMap { key, entries in
      entries.first?.day.map { (key, CalendarDay(day: $0, entries: entries)) }
    }
    return Dictionary(grouping: days) { String($0.0.prefix(2)) }.sorted { $0.key < $1.key }
      .map { CalendarMonth(name: $0.key, days: $0.value.map(\.1)) }
  }

  fileprivate static func twoDigits(_ number: Int) -> String {
    (number < 10 ? "0" : "") + "\(number)"
  }
}

/// Unique names for files and anchors, also if capital and small letters are the same.
private struct UniqueNames {
  private var usedNames: Set<String> = ["index"]

  /// Returns a name with letters and digits of every script; other characters become `-`.
  mutating func name(for words: String) -> String {
    var plain = ""
    for sign in words.lowercased() {
      let isPlain = sign.isLetter || sign.isNumber || sign == "_"
      if isPlain { plain.append(sign) } else if plain.last != "-" { plain.append("-") }
      if plain.utf8.count > 80 { break }
    }
    if plain.isEmpty || plain == "-" { plain = "x" }
    var name = plain
    var count = 1
    while !usedNames.insert(name).inserted {
      count += 1
      name = "\(plain)-\(count)"
    }
    return name
  }
}
