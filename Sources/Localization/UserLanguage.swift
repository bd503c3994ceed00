import Synchronization

/// The language of one user, from a browser's request, in a process that serves several.
package struct UserLanguage: Sendable {
  /// The user's preferred tag, such as `ko-KR`, for dates and numbers.
  package let locale: String
  /// The tag of the language of the texts: `en`, or one that has a translation.
  package let textLanguage: String
  private let translation: Translation?

  /// The language that best matches a browser's `Accept-Language` (RFC 9110, 12.5.4).
  package init(accepting header: String) {
    let requestedTags = UserLanguage.tags(of: header)
    locale = requestedTags.first ?? "en"
    let codes = requestedTags.map { String($0.prefix { $0.isLetter }).lowercased() }
    textLanguage = codes.first { $0 == "en" || Translation.available[$0] != nil } ?? "en"
    translation = Translation.translation(for: textLanguage)
  }

  /// The tags of the header, preferred first. Invalid tags are skipped.
  private static func tags(of header: String) -> [String] {
    let ranked = header.prefix(1000).split(separator: ",").compactMap {
      part -> (tag: String, weight: Double)? in
      let words = part.split(separator: ";").map { $0.filter { !$0.isWhitespace } }
      guard let tag = words.first, tag.first?.isLetter == true,
        tag.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
      else { return nil }
      let weight = words.dropFirst().first { $0.hasPrefix("q=") }.map {
        Double($0.dropFirst(2)) ?? 0
      }
      return (tag, weight ?? 1)
    }
    // A stable sort: tags of equal weight keep their order.
    return ranked.enumerated().filter { $0.element.weight > 0 }
      .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
      .map(\.element.tag)
  }

  /// Runs `work` with its texts in this language instead of the process's.
  package func perform<Value>(_ work: () throws -> Value) rethrows -> Value {
    try Translation.$taskTranslation.withValue(.some(translation), operation: work)
  }

  /// Runs asynchronous `work` with its texts in this language.
  package func perform<Value>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Value
  ) async rethrows -> Value {
    try await Translation.$taskTranslation.withValue(.some(translation), operation: work)
  }
}
