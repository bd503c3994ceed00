import Synchronization

/// The texts of one language, read from a PO file of GNU gettext
/// (https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html).
package struct Translation: Sendable {
  /// By the English text, of a counted one by its singular: the forms, the singular or only one first.
  private let texts: [String: [String]]
  /// How many forms a counted text has: 1, as in Korean, or 2, as in English and German.
  private let formCount: Int

  /// Why a PO file cannot be read; `line` begins with 1.
  package struct Failure: Error, Equatable, CustomStringConvertible {
    package let line: Int
    package let reason: String

    package var description: String { "line \(line): \(reason)" }
  }

  /// Reads a PO file. Texts that are marked as fuzzy or that have no translation are left out.
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

  /// The translated forms of a text; `nil`: it is not translated.
  package func forms(of id: String) -> [String]? { texts[id] }

  /// The texts that have a translation.
  package var ids: Set<String> { Set(texts.keys) }

  func pluralForm(of count: Int) -> Int { formCount == 1 || count == 1 ? 0 : 1 }

  // MARK: - The user's language

  /// The languages that the program has, by ISO 639 code.
  package static let available: [String: @Sendable () -> [UInt8]] = [
    "ko": { PackageResources.ko_po }
  ]

  private static let processTranslation = Mutex<Translation?>(nil)

  /// The translations that were asked for by name, each read once.
  private static let cache = Mutex<[String: Translation]>([:])

  /// The language of this task's reader, `.some(nil)` for English; `nil`: that of the process.
  @TaskLocal static var taskTranslation: Translation??

  /// The translation that ``localized(_:)`` uses; `nil`: English.
  static var selected: Translation? { taskTranslation ?? processTranslation.withLock(\.self) }

  /// Chooses the language by the environment as GNU gettext does: `LC_ALL`, `LC_MESSAGES` or `LANG` says
  /// whether there is one, the list in `LANGUAGE` says which. The system need not have that locale.
  package static func select(_ environment: [String: String]) {
    processTranslation.withLock { $0 = language(of: environment).flatMap(load) }
  }

  /// The first language that the environment asks for and the program has; `nil`: English.
  static func language(of environment: [String: String]) -> String? {
    let locale =
      ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
      ?? "C"
    guard !["C", "POSIX"].contains(locale.prefix { $0 != "." && $0 != "@" }) else { return nil }
    let requestedLocales = (environment["LANGUAGE"] ?? "").split(separator: ":") + [locale[...]]
    let codes = requestedLocales.map { String($0.prefix { $0.isLetter }) }
    return codes.first { $0 == "en" || available[$0] != nil }.flatMap { $0 == "en" ? nil : $0 }
  }

  /// The translation of a language by its ISO 639 code; `nil` where the program has none.
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
