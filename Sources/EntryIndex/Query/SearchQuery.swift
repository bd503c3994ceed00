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

  /// All of these terms; case and diacritics do not count.
  case terms([Term])
  /// A regular expression over title, header and body, without regard to case; `^` and `$` are
  /// the ends of lines.
  case pattern(String)

  /// Reads one text as a person types it: words between blanks, `"a phrase"`, `title:word`,
  /// `tag:word`, `title:"a phrase"`. Only these two prefixes mean anything; `12:30` is text.
  package init(parsing text: String) {
    var terms: [Term] = []
    var rest = Substring(text)
    while true {
      rest = rest.drop { $0.isWhitespace }
      guard !rest.isEmpty else { break }
      let (scope, afterPrefix) = SearchQuery.scope(rest)
      let quotes: Set<Character> = ["\"", "\u{201C}", "\u{201D}", "\u{201E}"]
      if let first = afterPrefix.first, quotes.contains(first) {
        let inner = afterPrefix.dropFirst()
        let phrase = inner.prefix { !quotes.contains($0) }
        terms.append(Term(String(phrase), in: scope))
        rest = inner.dropFirst(phrase.count + 1)
      } else {
        let word = afterPrefix.prefix { !$0.isWhitespace }
        terms.append(Term(String(word), in: scope))
        rest = afterPrefix.dropFirst(word.count)
      }
    }
    self = .terms(terms.filter { !$0.text.isEmpty })
  }

  /// Reads the words of a command line: the shell has taken one pair of quotes away, so a word that
  /// holds blanks is a phrase; one that still holds quotes is read as ``init(parsing:)`` does.
  package init(words: [String]) {
    self = .terms(
      words.flatMap { word -> [Term] in
        if word.contains("\""), case .terms(let terms) = SearchQuery(parsing: word) {
          return terms
        }
        let (scope, text) = SearchQuery.scope(Substring(word))
        return text.allSatisfy(\.isWhitespace) ? [] : [Term(String(text), in: scope)]
      })
  }

  private static func scope(_ text: Substring) -> (Scope, Substring) {
    for (prefix, scope) in [("title:", Scope.title), ("tag:", Scope.tag)]
    where text.lowercased().hasPrefix(prefix) {
      let rest = text.dropFirst(prefix.count)
      // Nothing behind the colon: the word itself is meant.
      guard let first = rest.first, !first.isWhitespace else { continue }
      return (scope, scope == .tag && first == "#" ? rest.dropFirst() : rest)
    }
    return (.anywhere, text)
  }
}
