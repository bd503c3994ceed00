import EntryFiles
import Foundation

@testable import DiaryCore

private let utc = TimeZone(secondsFromGMT: 0) ?? .current
private let keys = ["title", "date", "tags", "weather", "mood", "place"]

/// Checks two parts: a value and an entry.
func headerComplaint(_ input: [UInt8]) -> String? {
  let input = parts(input, 2)
  let bytes = input[1].isEmpty ? input[0] : input[1]
  let text = EntryText(bytes)
  if text.bytes != bytes { return "bytes were changed by reading" }
  var last = text.frontMatter.lines.lowerBound
  for field in text.fields {
    if field.range.lowerBound < last || field.range.isEmpty { return "fields overlap" }
    last = field.range.upperBound
  }
  if !text.fields.isEmpty, last > text.bodyRange.lowerBound { return "a field is in the body" }
  if let path = EntryPath("2026/a.md") {
    let entry = Entry(path: path, text: text, settings: Settings(), zone: utc)
    if entry.title.isEmpty { return "an empty title" }
    if entry.preview.count > 200 { return "a long preview" }
    _ = text.rewritingLinks(in: path, from: path, to: path)
  }
  _ = text.lints
  let said = decodedText(input[0])
  return setComplaint(text, said) ?? removeComplaint(text) ?? bodyComplaint(text, said)
}

private func setComplaint(_ before: EntryText, _ said: String) -> String? {
  let items = said.split(separator: ",").map(String.init)
  let values: [FieldValue] = [.text(said), .list(items), .mapping(items.map { ($0, said) })]
  for (index, key) in keys.enumerated() {
    let value = values[min(index / 2, 2)]
    var after = before
    guard (try? after.set(key, value)) != nil else {
      if after != before { return "a refused change of \(key) changed bytes" }
      continue
    }
    if after.value(key) != (value.isEmpty ? nil : value) { return "\(key) is not what was set" }
    if !isOnlyDifference(key, between: before, after) {
      return "setting \(key) changed other bytes"
    }
    for field in before.fields where !EntryText.isSameKey(field.key, key) {
      if before.value(field.key) != after.value(field.key) {
        return "setting \(key) changed \(field.key)"
      }
    }
    var again = after
    try? again.set(key, value)
    if again != after { return "setting \(key) twice is not setting it once" }
  }
  return nil
}

/// Whether both texts are equal after the key's first lines are removed, except for a new
/// header.
public func isOnlyDifference(_ key: String, between before: EntryText, _ after: EntryText) -> Bool {
  guard let now = after.field(key) else { return false }
  var new = after.bytes
  new.removeSubrange(now.range)
  guard before.headerKind != .none else {
    let start = before.bodyRange.lowerBound
    return new.starts(with: before.bytes[..<start])
      && new.reversed().starts(with: before.bytes[start...].reversed())
  }
  guard let was = before.field(key)?.range else { return new == before.bytes }
  let (above, below) = (before.bytes[..<was.lowerBound], before.bytes[was.upperBound...])
  guard new.count >= above.count + below.count, new.starts(with: above),
    new.suffix(below.count) == below
  else { return false }
  // Comments and blank lines between the key and its value remain.
  return new[above.count..<(new.count - below.count)].split(separator: 0x0A).allSatisfy { line in
    line.first { !isBlank($0) }.map { $0 == UInt8(ascii: "#") } ?? true
  }
}

private func removeComplaint(_ before: EntryText) -> String? {
  for key in Set(before.fields.prefix(8).map(\.key)) {
    var after = before
    guard (try? after.remove(key)) != nil else { continue }
    if before.headerKind != .yaml { continue }
    if after.field(key) != nil { return "\(key) is still there" }
    if after.body != before.body { return "removing \(key) changed the body" }
    for field in before.fields where !EntryText.isSameKey(field.key, key) {
      if before.value(field.key) != after.value(field.key) {
        return "removing \(key) changed \(field.key)"
      }
    }
  }
  return nil
}

private func bodyComplaint(_ text: EntryText, _ said: String) -> String? {
  if let more = try? text.appending(paragraph: said) {
    if !more.bytes.starts(with: text.bytes) { return "adding changed what was there" }
  }
  let shorter = text.withoutTrailingBlankLines
  if !text.bytes.starts(with: shorter.bytes) { return "taking blank lines away changed more" }
  var headed = text
  if headed.setHeading(said), headed.header != text.header { return "a heading changed the header" }
  for key in ["title", "place", "weather"] where text.withQuotedValues.value(key) != text.value(key)
  {
    return "quotes changed \(key)"
  }
  return nil
}
