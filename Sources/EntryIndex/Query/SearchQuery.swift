import Foundation

/// What is searched for.
package enum SearchQuery: Hashable, Sendable {
  /// Where a term has to stand.
  package enum Scope: Hashable, Sendable { case anywhere, title, tag }

  /// A word or a phrase, as it was typed.
  package struct Term: Hashable, Sendable {
    /// Where it has to stand.
    package var scope: Scope
    /// The words, unfolded.
    package var text: String

    /// A term.
    package init(_ text: String, in scope: Scope = .anywhere) {
      self.scope = scope
      self.text = text
    }
  }

  /// One of the sides of an OR: what must stand in an entry, and what must not.
  package struct Alternative: Hashable, Sendable {
    /// All of these.
    package var terms: [Term]
    /// None of these.
    package var excluded: [Term]

    /// An alternative.
    package init(_ terms: [Term] = [], excluded: [Term] = []) {
      self.terms = terms
      self.excluded = excluded
    }
  }

  /// One of these at least; case and diacritics do not count.
  case anyOf([Alternative])
  /// A regular expression over title, header and body, without regard to case; `^` and `$` are
  /// the ends of lines.
  case pattern(String)

  /// All of these terms.
  package static func terms(_ terms: [Term]) -> SearchQuery { .anyOf([Alternative(terms)]) }

  /// Reads one text as a person types it: words between blanks, `"a phrase"`, `title:word`,
  /// `tag:word`, `title:"a phrase"`, and `AND`, `OR` and `NOT`. Only these two prefixes mean
  /// anything; `12:30` is text.
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

  /// Reads the words of a command line: the shell has taken one pair of quotes away, so a word that
  /// holds blanks is a phrase; one that still holds quotes is read as ``init(parsing:)`` does.
  package init(words: [String]) {
    self.init(
      tokens: words.flatMap { word in
        if word.contains("\"") { return SearchQuery.tokens(in: word) }
        let (scope, text) = SearchQuery.scope(Substring(word))
        return [Token(word: text, in: scope)]
      })
  }

  /// A term, or a word that joins terms.
  private struct Token {
    enum Operator: Substring { case and = "AND", or = "OR", not = "NOT" }

    var term: Term
    /// What it is where it stands between terms; `nil` of a quoted word.
    var joinOperator: Operator?

    init(term: Term) { self.term = term }

    init(word: Substring, in scope: Scope) {
      term = Term(String(word), in: scope)
      if scope == .anywhere { joinOperator = Operator(rawValue: word) }
    }
  }

  /// `OR` parts alternatives, `NOT` excludes the term behind it, and `AND` says what a blank says. Each
  /// is a word like any other where it has nothing to join.
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
      // Nothing behind the colon: the word itself is meant.
      guard let first = remainder.first, !first.isWhitespace else { continue }
      return (scope, scope == .tag && first == "#" ? remainder.dropFirst() : remainder)
    }
    return (.anywhere, text)
  }
}
