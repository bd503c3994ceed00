import Foundation

/// A title as part of a file name: letters, marks and digits of all scripts, composed and in lower
/// case, with one `-` for anything else. At most 80 bytes, cut between words. Empty if the title
/// has no letter or digit.
package func slug(of title: String) -> String {
  var words: [String] = []
  var word = String.UnicodeScalarView()
  // Imported titles can have any length.
  let title = String(title.unicodeScalars.prefix(4096))
  let text = title.precomposedStringWithCanonicalMapping.lowercased()
  for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars {
    // A mark needs a letter before it. The variation selector of an emoji has none.
    if isLetterOrDigit(scalar) || (!word.isEmpty && scalar.isMark) {
      word.append(scalar)
    } else if !word.isEmpty {
      words.append(String(word))
      word = String.UnicodeScalarView()
    }
  }
  if !word.isEmpty { words.append(String(word)) }
  return joinedSlug(words)
}

/// Joins as many words as fit. A first word that is too long is cut between characters.
private func joinedSlug(_ words: [String]) -> String {
  let limit = 80
  guard var slug = words.first else { return "" }
  if slug.utf8.count > limit {
    var remainingBytes = limit
    // One character can be longer than the limit.
    return String(
      slug.prefix { character in
        remainingBytes -= character.utf8.count
        return remainingBytes >= 0
      })
  }
  for word in words.dropFirst() {
    guard slug.utf8.count + 1 + word.utf8.count <= limit else { break }
    slug += "-" + word
  }
  return slug
}
