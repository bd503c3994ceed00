import Foundation

/// A search query.
package enum SearchQuery: Hashable, Sendable {
  /// The part of an entry in which a term must occur.
  package enum Scope: Hashable, Sendable { case anywhere, title, tag }

  /// A word or a phrase, as typed by the user.
  package struct Term: Hashable, Sendable {
    /// The part of the entry in which the term must occur.
    package var scope: Scope
    /// The term, unfolded.
    package var text: String

    /// Creates a term.
    package init(_ text: String, in scope: Scope = .anywhere) {
      self.scope = scope
      self.text = text
    }
  }

  /// One operand of OR: terms that an entry must contain, and terms that it must not contain.
  package struct Alternative: Hashable, Sendable {
    /// Terms that must all occur.
    package var terms: [Term]
    /// Terms that must not occur.
    package var excluded: [Term]

    /// Creates an alternative.
    package init(_ terms: [Term] = [], excluded: [Term] = []) {
      self.terms = terms
      self.excluded = excluded
    }
  }

  /// At least one of the alternatives must match; case and diacritics are ignored.
  case anyOf([Alternative])
  /// A case-insensitive regular expression over title, header and body; `^` and `$` match at line
  /// ends.
  case pattern(String)

  /// A query for entries that contain all of these terms.
  package static func terms(_ terms: [Term]) -> SearchQuery { .anyOf([Alternative(terms)]) }

  /// Parses a query as typed by a user: words, `"a phrase"`, `title:word`, `tag:word`, `title:"a
  /// phrase"`, and `AND`, `OR` and `NOT`. No other prefix has a meaning: `12:30` is text. `#word` is
  /// found in the text, and as the start of a tag of the header.
  package init(parsing text: String) { self.init(tokens: SearchQuery.tokens(in: text)) }

  private static func tokens(in text: String) -> [Token] {
    var tokens: [Token] = []
    var remainder = Substring(text)
    while true {
      remainder = remainder.drop { $0.isWhitespace }
      guard !remainder.isEmpty else { break }
      let (scope, afterPrefix) = SearchQuery.scope(remainder)
      let quotes: Set<Character> = ["\"", "\u{201C}", "\u{201D}", "\u{201E}"]
      if let first = afterPrefix.first, quotes.contains(first) {
        let inner = afterPrefix.dropFirst()
        let phrase = inner.prefix { !quotes.contains($0) }
        tokens.append(Token(term: Term(String(phrase), in: scope)))
        remainder = inner.dropFirst(phrase.count + 1)
      } else {
        let word = afterPrefix.prefix { !$0.isWhitespace }
        tokens.append(Token(word: word, in: scope))
        remainder = afterPrefix.dropFirst(word.count)
      }
    }
    return tokens
  }

  /// Parses command-line arguments. The shell has removed one pair of quotes, so an argument with
  /// blanks is a phrase; one that contains quotes is parsed by ``init(parsing:)``.
  package init(words: [String]) {
    self.init(
      tokens: words.flatMap { word in
        if word.contains("\"") { return SearchQuery.tokens(in: word) }
        let (scope, text) = SearchQuery.scope(Substring(word))
        return [Token(word: text, in: scope)]
      })
  }

  /// A term, or an operator that joins terms.
  private struct Token {
    enum Operator: Substring { case and = "AND", or = "OR", not = "NOT" }

    var term: Term
    /// The operator, if the word is between terms; `nil` for a quoted word.
    var joinOperator: Operator?

    init(term: Term) { self.term = term }

    init(word: Substring, in scope: Scope) {
      term = Term(String(word), in: scope)
      if scope == .anywhere { joinOperator = Operator(rawValue: word) }
    }
  }

  /// `OR` separates alternatives, `NOT` excludes the next term, and `AND` has the same meaning as a
  /// blank. Without operands, each of them is an ordinary word.
  private init(tokens: [Token]) {
    let tokens = tokens.filter { !$0.term.text.allSatisfy(\.isWhitespace) }
    var alternatives = [Alternative()]
    var isExcluded = false
    for (index, token) in tokens.enumerated() {
      let next = index + 1 < tokens.count ? tokens[index + 1] : nil
      let hasTerms = alternatives[alternatives.count - 1] != Alternative()
      let hasNext =
        next.map { $0.joinOperator == nil || $0.joinOperator == .not && token.joinOperator != .not }
        ?? false
      switch token.joinOperator {
      case .not where hasNext && !isExcluded: isExcluded = true
      case .or where hasNext && hasTerms && !isExcluded: alternatives.append(Alternative())
      case .and where hasNext && hasTerms && !isExcluded: break
      default:
        let last = alternatives.count - 1
        if isExcluded {
          alternatives[last].excluded.append(token.term)
        } else {
          alternatives[last].terms.append(token.term)
        }
        isExcluded = false
      }
    }
    self = .anyOf(alternatives)
  }

  private static func scope(_ text: Substring) -> (Scope, Substring) {
    for (prefix, scope) in [("title:", Scope.title), ("tag:", Scope.tag)]
    where text.lowercased().hasPrefix(prefix) {
      let remainder = text.dropFirst(prefix.count)
      // A prefix without a text is an ordinary word.
      guard let first = remainder.first, !first.isWhitespace else { continue }
      return (scope, scope == .tag && first == "#" ? remainder.dropFirst() : remainder)
    }
    return (.anywhere, text)
  }
}
