/// The message of a merge of two devices' saves. It is a constant of the format, because two
/// devices that make the same merge must make the same commit. A change of one byte, here or in the
/// result of a merge, needs a new number in the last line. Devices with different numbers agree by
/// the content alone.
///
///     Merge two devices' saves
///
///     Review: 2026/11/2026-11-21-walk.md
///     Diary-Merge: 3
///
/// `review` contains the entries that the user should review. Each device that receives the merge
/// reads them from the message (``entriesToReview(inMessage:)``).
package func mergeMessage(review: [EntryPath]) -> String {
  let trailers = review.sorted().map { reviewTrailer + trailerText($0) } + [mergeTrailer + "3"]
  return "Merge two devices' saves\n\n" + trailers.joined(separator: "\n") + "\n"
}

/// The start of the last line of a merge message; the number of the template follows.
package let mergeTrailer = "Diary-Merge: "

private let reviewTrailer = "Review: "

/// The entries that a merge message names, whatever its number. `nil` for the message of a commit
/// that Diary did not make.
package func entriesToReview(inMessage message: String) -> [EntryPath]? {
  let lines = message.split(separator: "\n").map(String.init)
  guard let number = lines.last, number.hasPrefix(mergeTrailer) else { return nil }
  return lines.filter { $0.hasPrefix(reviewTrailer) }
    .compactMap { path(ofTrailer: String($0.dropFirst(reviewTrailer.count))) }
}

/// A path on one line, percent-encoded in quotes if it could not be read back unchanged.
private func trailerText(_ path: EntryPath) -> String {
  let isPlain = path.text.unicodeScalars.allSatisfy { scalar in
    scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value)
      && !(0x2028...0x2029).contains(scalar.value)
  }
  let isWhole = EntryPath(path.text) == path && path.text.first != "\"" && path.text.last != " "
  return isPlain && isWhole ? path.text : "\"" + path.percentEncoded + "\""
}

private func path(ofTrailer text: String) -> EntryPath? {
  guard text.hasPrefix("\""), text.hasSuffix("\""), text.count > 1 else { return EntryPath(text) }
  return EntryPath(percentEncoded: String(text.dropFirst().dropLast()))
}
