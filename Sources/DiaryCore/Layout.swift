/// Where a new entry goes: a path with `{year}`, `{month}`, `{day}`, `{date}`, `{time}` and `{slug}`,
/// the first four of the diary's day.
public struct Layout: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case text(String)
    case value(Value)
  }

  private enum Value: String, Hashable, Sendable { case year, month, day, date, time, slug }

  /// The pattern as it was written.
  public let pattern: String
  private let parts: [Part]

  /// A layout; `nil` when the pattern is not a path inside the journal that ends in `.md` or
  /// `.markdown`, is hidden, has an unknown placeholder, or would call all entries the same.
  public init?(_ pattern: String) {
    var parts: [Part] = []
    var rest = pattern[...]
    while let open = rest.firstIndex(of: "{") {
      guard let close = rest[open...].firstIndex(of: "}"),
        let value = Value(rawValue: String(rest[rest.index(after: open)..<close]))
      else { return nil }
      parts += [.text(String(rest[..<open])), .value(value)]
      rest = rest[rest.index(after: close)...]
    }
    parts.append(.text(String(rest)))
    self.pattern = pattern
    self.parts = parts
    guard !pattern.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }),
      parts.contains(where: { [.value(.slug), .value(.date), .value(.day)].contains($0) }),
      let sample = path(slug: "walk", time: "2104", day: Layout.sampleDay), sample.isMarkdown,
      !sample.isHidden, sample.names.allSatisfy({ $0.count <= 128 })
    else { return nil }
  }

  /// The path of a new entry. Without a title (or with one that gives no slug) the time stands in its
  /// place, without a time nothing does. The first name that `isTaken` does not know, with `-2`,
  /// `-3` … before the extension.
  public func path(
    title: String?, date: EntryDate, day: Day, isTaken: (EntryPath) -> Bool = { _ in false }
  ) -> EntryPath {
    var numbers: [EntryPath: Int] = [:]
    return path(title: title, date: date, day: day, numbers: &numbers, isTaken: isTaken)
  }

  /// The same for one of many entries. `numbers` holds the number that each taken name is tried with
  /// next, so that entries of one title and day do not all try the same names again.
  public func path(
    title: String?, date: EntryDate, day: Day, numbers: inout [EntryPath: Int],
    isTaken: (EntryPath) -> Bool
  ) -> EntryPath {
    let clock = date.clock.map { $0.filter { $0 != ":" } } ?? ""
    let named = DiaryCore.slug(of: title ?? "")
    // The pattern was tried when it was read; a slug or a time adds nothing that a path cannot hold.
    guard let first = path(slug: named.isEmpty ? clock : named, time: clock, day: day) else {
      preconditionFailure("a checked layout makes a path")
    }
    guard numbers[first] != nil || isTaken(first) else { return first }
    var number = numbers[first] ?? 2
    while let next = first.numbered(number) {
      numbers[first] = number + 1
      if !isTaken(next) { return next }
      number += 1
    }
    return first
  }

  private func path(slug: String, time: String, day: Day) -> EntryPath? {
    let (year, month, number) = day.numbers
    var text = ""
    for (index, part) in parts.enumerated() {
      switch part {
      case .text(let literal): text += literal
      case .value(.year): text += padded(year, 4)
      case .value(.month): text += padded(month, 2)
      case .value(.day): text += padded(number, 2)
      case .value(.date): text += day.description
      case .value(.time): add(time, to: &text, at: index, day: day)
      case .value(.slug): add(slug, to: &text, at: index, day: day)
      }
    }
    return EntryPath(text)
  }

  /// An empty value takes the mark before it along; a name that would be empty is the date.
  private func add(_ value: String, to text: inout String, at index: Int, day: Day) {
    text += value
    guard value.isEmpty else { return }
    while let last = text.last, "-_. ".contains(last) { text.removeLast() }
    if text.isEmpty || text.last == "/" { text += day.description }
  }

  private static let sampleDay = Day(year: 2026, month: 11, day: 21) ?? Day.first
}

extension Day {
  /// The day after which all others come: 0001-01-01.
  static let first: Day = {
    guard let day = Day(ordinal: span.lowerBound) else {
      preconditionFailure("the span has a start")
    }
    return day
  }()
}

extension EntryPath {
  /// The same path with `-N` before its extension.
  public func numbered(_ number: Int) -> EntryPath? {
    let name = nameBytes
    let dot = name.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
    let end = dot > name.startIndex ? dot : name.endIndex
    return EntryPath(bytes: bytes[..<end] + Array("-\(number)".utf8) + bytes[end...])
  }
}
