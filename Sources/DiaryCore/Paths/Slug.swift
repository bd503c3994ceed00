import Foundation

/// A title as part of a file's name: letters, marks and digits of every script, composed and in
/// lower case, everything else one `-`; at most 80 bytes, cut between words. Empty when the title
/// has neither letter nor digit.
package func slug(of title: String) -> String {
  var words: [String] = []
  var word = String.UnicodeScalarView()
  // What comes in from elsewhere may be a title of any length.
  let title = String(title.unicodeScalars.prefix(4096))
  let text = title.precomposedStringWithCanonicalMapping.lowercased()
  for scalar in text.precomposedStringWithCanonicalMapping.unicodeScalars {
    // A mark needs a letter to stand on: the one that makes an emoji colourful has none here.
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

/// As many words as fit; of a first word that is too long, as many characters.
private func joinedSlug(_ words: [String]) -> String {
  let limit = 80
  guard var slug = words.first else { return "" }
  if slug.utf8.count > limit {
    var remainingBytes = limit
    // One character can be longer than any limit.
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
