/// The lines of a settings file with their line endings, so that unchanged lines are preserved.
struct SettingsEditor {
  private var lines: [[UInt8]]
  private let lineEnding: [UInt8]

  init(_ bytes: [UInt8]) {
    lines = lineRanges(bytes[...]).map { Array(bytes[$0]) }
    // A CR alone at the end of the first line is an incomplete CRLF, which an edit completes.
    let hasCarriageReturn = lines.first?.suffix(2) == [0x0D, 0x0A] || lines.first?.last == 0x0D
    lineEnding = hasCarriageReturn ? [0x0D, 0x0A] : [0x0A]
  }

  var bytes: [UInt8] { lines.flatMap { $0 } }

  /// Replaces a top-level setting's lines, or appends the setting. `nil` removes it.
  mutating func change(_ key: String, to value: SettingValue?) {
    replaceLines(
      value.map { [line(key, $0, indent: "")] } ?? [], at: lineRange(of: key, in: 0..<lines.count))
  }

  /// Changes a setting inside a mapping. In a mapping with one key a line, only that key's lines
  /// change. Any other mapping is rewritten as one line.
  mutating func change(
    _ key: String, in mapping: String, to value: SettingValue?, current: SettingValue?
  ) {
    let whole = lineRange(of: mapping, in: 0..<lines.count)
    var fields = SettingsEditor.fields(of: current)
    if let whole, fields.count > 0, let indent = blockIndent(whole) {
      let inside = (whole.lowerBound + 1)..<whole.upperBound
      let existing = lineRange(of: key, in: inside, indent: indent)
      let isLast = value == nil && fields.count == 1
      if !isLast {
        let written = value.map { [line(key, $0, indent: indent)] } ?? []
        replaceLines(
          written, at: existing ?? (value == nil ? nil : whole.upperBound..<whole.upperBound))
        return
      }
    }
    SettingsEditor.set(key, value, in: &fields)
    replaceLines(
      fields.isEmpty ? [] : [line(mapping, .mapping(fields), indent: "")], at: whole)
  }

  static func fields(of value: SettingValue?) -> [SettingValue.Field] {
    if case .mapping(let fields)? = value { fields } else { [] }
  }

  static func set(_ key: String, _ value: SettingValue?, in fields: inout [SettingValue.Field]) {
    let position = fields.firstIndex { $0.key == key }
    switch (position, value) {
    case (let place?, let value?): fields[place].value = value
    case (let place?, nil): fields.remove(at: place)
    case (nil, let value?): fields.append(SettingValue.Field(key, value))
    case (nil, nil): break
    }
  }

  private func line(_ key: String, _ value: SettingValue, indent: String) -> [UInt8] {
    Array((indent + key + ": " + value.yaml).utf8) + lineEnding
  }

  private mutating func replaceLines(_ new: [[UInt8]], at range: Range<Int>?) {
    guard let range else {
      terminateLastLine()
      lines.append(contentsOf: new)
      return
    }
    let hadEnd = range.isEmpty || lines[range.upperBound - 1].last == 0x0A
    if range.lowerBound == lines.count { terminateLastLine() }
    lines.replaceSubrange(range, with: new)
    if !hadEnd, !new.isEmpty, let last = lines.last {
      lines[lines.count - 1] = last.dropLast(lineEnding.count)
    }
  }

  private mutating func terminateLastLine() {
    guard let last = lines.last, last.last != 0x0A else { return }
    lines[lines.count - 1] = last + (last.last == 0x0D ? [0x0A] : lineEnding)
  }

  /// The range of a key's lines at an indentation: its own line and the deeper ones below it,
  /// without the blank and comment lines after them.
  private func lineRange(of key: String, in range: Range<Int>, indent: String = "") -> Range<Int>? {
    guard let start = range.first(where: { isKey(key, at: $0, indent: indent) }) else { return nil }
    var last = start
    for number in (start + 1)..<max(range.upperBound, start + 1) {
      let content = lines[number].drop { $0 == 0x20 || $0 == 0x09 }
      let depth = lines[number].count - content.count
      guard let first = content.first, first != 0x0A, first != 0x0D else { continue }
      let isContinuation =
        depth > indent.utf8.count || (depth == indent.utf8.count && "-]}".utf8.contains(first))
      let isDocumentMarker = depth == 0 && content.starts(with: "---".utf8)
      if !isContinuation || isDocumentMarker {
        if first == UInt8(ascii: "#") { continue }
        break
      }
      last = number
    }
    return start..<(last + 1)
  }

  private func isKey(_ key: String, at number: Int, indent: String) -> Bool {
    var line = lines[number][...]
    if number == 0, line.starts(with: [0xEF, 0xBB, 0xBF]) { line = line.dropFirst(3) }
    for quote in ["", "\"", "'"] {
      let start = Array((indent + quote + key + quote + ":").utf8)
      if line.starts(with: start) {
        let next = line.dropFirst(start.count).first
        return next == nil || " \t\r\n".utf8.contains(next ?? 0)
      }
    }
    return false
  }

  /// The indentation of the keys in a mapping with one key a line, else `nil`.
  private func blockIndent(_ whole: Range<Int>) -> String? {
    let head = lines[whole.lowerBound].drop { $0 != UInt8(ascii: ":") }.dropFirst()
    let value = head.drop { " \t\r\n".utf8.contains($0) }
    guard value.isEmpty || value.first == UInt8(ascii: "#"), whole.count > 1 else { return nil }
    let first = lines[(whole.lowerBound + 1)..<whole.upperBound].first { line in
      line.first { !" \t\r\n".utf8.contains($0) }.map { $0 != UInt8(ascii: "#") } ?? false
    }
    let depth = first?.prefix { $0 == 0x20 }.count ?? 0
    return depth > 0 ? String(repeating: " ", count: depth) : nil
  }
}

extension SettingValue {
  /// The value on one line, quoted if YAML would read it as something else.
  var yaml: String {
    switch self {
    case .empty: "null"
    case .text(let text): SettingValue.quoted(text)
    case .list(let list): "[" + list.map(\.yaml).joined(separator: ", ") + "]"
    case .mapping(let fields):
      "{"
        + fields.map { SettingValue.quoted($0.key) + ": " + $0.value.yaml }.joined(separator: ", ")
        + "}"
    }
  }

  /// Settings are texts for Diary, so a number needs no quotes.
  private static func quoted(_ text: String) -> String {
    Double(text)?.isFinite == true ? text : yamlScalar(text, isInFlow: true)
  }
}
