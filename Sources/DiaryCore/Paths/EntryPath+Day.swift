extension EntryPath {
  /// The day in the file name or the folder names: `2024-01-15`, `2024_1_5`, `20240115`, `15` under
  /// `2024/01`, `0115` alone under `2024`, or a name that begins with a date as people write it. The
  /// file name has priority, then the innermost folder.
  package var impliedDay: Day? {
    let names = self.names
    for last in names.indices.reversed() {
      let name = last == names.count - 1 ? EntryPath.withoutExtension(names[last]) : names[last]
      if let found = DateInFileName(name) { return found.day }
      if let day = EntryPath.numberedDay(name, below: names[..<last]) { return day }
    }
    return nil
  }

  /// True if the name consists only of a date and perhaps a time and a counter, so that it is not a
  /// title.
  package var isDateOnlyName: Bool {
    let names = self.names
    guard let last = names.last else { return false }
    let name = EntryPath.withoutExtension(last)
    if let found = DateInFileName(name) { return found.isWholeName }
    return name.allSatisfy(\.isDigit) && EntryPath.numberedDay(name, below: names.dropLast()) != nil
  }

  private static func withoutExtension(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex,
      !name[(dot + 1)...].allSatisfy({ $0.isDigit })
    else { return name }
    return name[..<dot]
  }

  /// The day with which the file name itself begins.
  package var dayInName: Day? {
    DateInFileName(EntryPath.withoutExtension(nameBytes)).flatMap {
      $0.range.lowerBound == 0 ? $0.day : nil
    }
  }

  /// The path with another day in the file name, in the same form; `nil` if the name has no day.
  package func replacingDayInName(with day: Day) -> EntryPath? {
    guard let found = DateInFileName(EntryPath.withoutExtension(nameBytes)) else { return nil }
    var name = Array(nameBytes)
    name.replaceSubrange(found.range, with: found.written(name[found.range], as: day).utf8)
    return sibling(name)
  }

  /// The day of `15` or `15-walk` under `2024/01` or `2024-01`, and of `0115` under `2024`.
  private static func numberedDay(
    _ name: ArraySlice<UInt8>, below folders: ArraySlice<ArraySlice<UInt8>>
  ) -> Day? {
    var reader = DateReader(name)
    let width = reader.digitCount(from: 0)
    if width == 4 {
      guard let month = reader.number(digits: 2), let day = reader.number(digits: 2),
        reader.peek() == nil, let year = folders.last.flatMap(EntryPath.year)
      else { return nil }
      return Day(year: year, month: month, day: day)
    }
    guard let number = reader.number(maxDigits: 2) else { return nil }
    if let next = reader.peek() {
      guard width == 2, next == UInt8(ascii: "-") || next == UInt8(ascii: "_") else { return nil }
    }
    guard let (year, month) = EntryPath.month(of: folders) else { return nil }
    return Day(year: year, month: month, day: number)
  }

  private static func year(_ folder: ArraySlice<UInt8>) -> Int? {
    var reader = DateReader(folder)
    return folder.count == 4 ? reader.number(digits: 4) : nil
  }

  private static func month(of folders: ArraySlice<ArraySlice<UInt8>>) -> (Int, Int)? {
    guard let inner = folders.last else { return nil }
    var reader = DateReader(inner)
    if reader.digitCount(from: 0) <= 2 {
      guard let month = reader.number(maxDigits: 2), reader.peek() == nil,
        let year = folders.dropLast().last.flatMap(EntryPath.year)
      else { return nil }
      return (year, month)
    }
    guard let year = reader.number(digits: 4) else { return nil }
    _ = reader.accept(UInt8(ascii: "-")) || reader.accept(UInt8(ascii: "_"))
    guard let month = reader.number(digits: 2), reader.peek() == nil else { return nil }
    return (year, month)
  }
}

/// A date in a file name: in digits at the start or between separators, or as people write it at the
/// start.
struct DateInFileName {
  let day: Day
  /// The bytes of the day in the name, counted from its first.
  let range: Range<Int>
  /// True if the rest of the name contains only digits and separators, and no title.
  let isWholeName: Bool

  init?(_ name: ArraySlice<UInt8>) {
    var reader = DateReader(name)
    while reader.position < reader.bytes.count {
      let width = reader.digitCount(from: reader.position)
      if let found = DateInFileName.day(reader, digits: width) {
        day = found.day
        range = reader.position..<found.end
        isWholeName = name.allSatisfy { byte in
          byte.isDigit || "-_. :T".utf8.contains(byte)
        }
        return
      }
      reader.position += max(width, 1)
    }
    reader.position = 0
    guard let day = reader.writtenDay(), (1900...2199).contains(day.components.year) else {
      return nil
    }
    let end = reader.position
    // Not a version or a measure, such as 1.10.2024.3 and 12.05.2024km.
    let isPart = reader.isInsideWord() && !isBlank(reader.bytes[end - 1])
    if isPart || reader.peek() == UInt8(ascii: ".") { return nil }
    self.day = day
    range = 0..<(reader.bytes[..<end].lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0)
    let isCounted = reader.bytes[end...].allSatisfy { $0.isDigit || "-_. :()".utf8.contains($0) }
    isWholeName = isCounted || reader.isAtEnd()
  }

  /// Another day in the form in which this one is written, or with the year first.
  func written(_ written: ArraySlice<UInt8>, as day: Day) -> String {
    let (year, month, number) = day.components
    let widths = written.split { !$0.isDigit }.map(\.count)
    if widths == [8] { return padded(year, 4) + padded(month, 2) + padded(number, 2) }
    if written.dropFirst(4).starts(with: "년".utf8) { return "\(year)년 \(month)월 \(number)일" }
    guard widths.count == 3, widths[0] == 4 else { return day.description }
    let separator = String(decoding: written.dropFirst(4).prefix(1), as: UTF8.self)
    return [padded(year, 4), padded(month, widths[1]), padded(number, widths[2])]
      .joined(separator: separator)
  }

  private static func day(_ reader: DateReader, digits width: Int) -> (day: Day, end: Int)? {
    let start = reader.position
    var reader = reader
    switch width {
    case 4:
      guard let year = reader.number(digits: 4), let separator = reader.peek(),
        "-_.".utf8.contains(separator), reader.accept(separator),
        let month = reader.number(maxDigits: 2),
        reader.accept(separator), let day = reader.number(maxDigits: 2),
        !reader.isDigit(reader.peek())
      else { return nil }
      return Day(year: year, month: month, day: day).map { ($0, reader.position) }
    case 8, 12, 14:
      // Restrict long numbers to plausible years, because most are not dates.
      guard let year = reader.number(digits: 4), (1800...2199).contains(year),
        let month = reader.number(digits: 2), let day = reader.number(digits: 2),
        width == 8 || reader.basicClock(digits: width - 8) != nil
      else { return nil }
      return Day(year: year, month: month, day: day).map { ($0, start + 8) }
    default: return nil
    }
  }
}
