import CTexts
import Synchronization

/// The texts of one language, read from a PO file of GNU gettext
/// (https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html).
package struct Translation: Sendable {
  /// The forms by the English text (the singular of a counted one), the first or only form first.
  private let texts: [String: [String]]
  /// The number of plural forms: 1, as in Korean, or 2, as in English and German.
  private let formCount: Int

  /// An error in a PO file; `line` starts at 1.
  package struct Failure: Error, Equatable, CustomStringConvertible {
    package let line: Int
    package let reason: String

    package var description: String { "line \(line): \(reason)" }
  }

  /// Reads a PO file. Texts that are fuzzy or have no translation are skipped.
  package init(po file: String) throws(Failure) {
    var texts: [String: [String]] = [:]
    var header = ""
    for entry in try POEntry.entries(of: file) where !entry.isFuzzy {
      if entry.id.isEmpty { header = entry.forms.first ?? "" }
      if !entry.id.isEmpty, entry.forms.allSatisfy({ !$0.isEmpty }) {
        texts[entry.id] = entry.forms
      }
    }
    let rule = header.split(separator: "\n").first { $0.hasPrefix("Plural-Forms:") } ?? ""
    if rule.contains("nplurals=1") {
      formCount = 1
    } else if rule.contains("nplurals=2; plural=(n != 1)") {
      formCount = 2
    } else {
      throw Failure(
        line: 1, reason: "Plural-Forms must be nplurals=1 or nplurals=2; plural=(n != 1)")
    }
    self.texts = texts
  }

  /// The translated forms of a text; `nil` if it has no translation.
  package func forms(of id: String) -> [String]? { texts[id] }

  /// The texts that have a translation.
  package var ids: Set<String> { Set(texts.keys) }

  func pluralForm(of count: Int) -> Int { formCount == 1 || count == 1 ? 0 : 1 }

  // MARK: - The user's language

  /// The available languages, by ISO 639 code.
  package static let available: [String: @Sendable () -> [UInt8]] = [
    "ko": {
      let text = diary_ko_po()
      return Array(UnsafeBufferPointer(start: text.bytes, count: text.count))
    }
  ]

  private static let processTranslation = Mutex<Translation?>(nil)

  /// The translations that were requested by name, each read once.
  private static let cache = Mutex<[String: Translation]>([:])

  /// The language of this task's user; `.some(nil)` is English, `nil` the process's language.
  @TaskLocal static var taskTranslation: Translation??

  /// The translation that ``localized(_:)`` uses; `nil` for English.
  static var selected: Translation? { taskTranslation ?? processTranslation.withLock(\.self) }

  /// Selects the language from the environment, as GNU gettext does: `LC_ALL`, `LC_MESSAGES` or
  /// `LANG` enables translation, `LANGUAGE` orders the languages. The locale need not be installed.
  package static func select(_ environment: [String: String]) {
    processTranslation.withLock { $0 = language(of: environment).flatMap(load) }
  }

  /// The first requested language that the program has; `nil` for English.
  package static func language(of environment: [String: String]) -> String? {
    let locale =
      ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      ?? "C"
    guard !["C", "POSIX"].contains(locale.prefix { $0 != "." && $0 != "@" }) else { return nil }
    let requestedLocales = (environment["LANGUAGE"] ?? "").split(separator: ":") + [locale[...]]
    let codes = requestedLocales.map { String($0.prefix { $0.isLetter }) }
    return codes.first { $0 == "en" || available[$0] != nil }.flatMap { $0 == "en" ? nil : $0 }
  }

  /// The translation for an ISO 639 code; `nil` if the program has none.
  static func translation(for language: String) -> Translation? {
    cache.withLock { known in
      if known[language] == nil { known[language] = load(language) }
      return known[language]
    }
  }

  private static func load(_ language: String) -> Translation? {
    available[language].flatMap { try? Translation(po: String(decoding: $0(), as: UTF8.self)) }
  }
}
