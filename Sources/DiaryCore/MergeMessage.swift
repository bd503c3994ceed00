/// The message of a merge of two devices' saves: a constant of the format, for two devices that make
/// the same merge must make the same commit. A change of a single byte needs another number in the
/// last line, and devices with different numbers agree by the content alone.
///
///     Merge two devices' saves
///
///     Both versions are kept in
///     2026/11/2026-11-21-walk.md
///
///     Diary-Merge: 1
public func mergeMessage(keptBoth: [EntryPath]) -> String {
  var parts = ["Merge two devices' saves"]
  if !keptBoth.isEmpty {
    let most = 200
    var list = ["Both versions are kept in"] + keptBoth.sorted().prefix(most).map(line)
    if keptBoth.count > most { list.append("and \(keptBoth.count - most) more") }
    parts.append(list.joined(separator: "\n"))
  }
  return (parts + [mergeTrailer + "1"]).joined(separator: "\n\n") + "\n"
}

/// What the last line of a merge's message begins with; the number of the template follows.
public let mergeTrailer = "Diary-Merge: "

/// A path on one line.
private func line(_ path: EntryPath) -> String {
  String(
    String.UnicodeScalarView(
      path.text.unicodeScalars.map {
        $0.value < 0x20 || (0x7F..<0xA0).contains($0.value) || (0x2028...0x2029).contains($0.value)
          ? "\u{FFFD}" : $0
      }))
}
