// What no input may do to a reader. The corpus tests and the fuzzer ask the same questions; a crash
// or a hang answers them as well as a complaint does.

/// One of Diary's readers, with what holds for it whatever it is given.
public enum HostileTarget: String, CaseIterable, Sendable {
  case header, dates, settings, merge, trees, phone, page, answers, globs, words, links, pagetext,
    requests
  case dayone, journey, jrnl, jrnljson, jrnlmarkdown, jrnlyaml, phones, rednotebook, joplin
  case markdownfolder, orgjournal, tuijournal, datedtext, applejournal, diarium, diaryjson,
    encodings

  /// What is wrong with how the input was read; `nil` when nothing is. Where a reader takes several
  /// texts, U+001F parts them.
  public func complaint(about input: [UInt8]) -> String? {
    switch self {
    case .header: headerComplaint(input)
    case .dates: dateComplaint(input)
    case .settings: settingsComplaint(input)
    case .merge: mergeComplaint(input)
    case .trees: treesComplaint(input)
    case .phone: phoneComplaint(input)
    case .page: pageComplaint(input)
    case .answers: answersComplaint(input)
    case .globs: globComplaint(input)
    case .words: wordsComplaint(input)
    case .links: linksComplaint(input)
    case .pagetext: pageTextComplaint(input)
    case .requests: requestComplaint(input)
    case .dayone: importComplaint(input, "dayone", "Journal.json")
    case .journey: importComplaint(input, "journey", "1.json")
    case .jrnl: importComplaint(input, "jrnl", "journal.txt")
    case .jrnljson: importComplaint(input, "jrnl-json", "a.json")
    case .jrnlmarkdown: importComplaint(input, "jrnl-markdown", "a.md")
    case .jrnlyaml: importComplaint(input, "jrnl-yaml", "a.md")
    case .phones: importComplaint(input, "phone", "a.json")
    case .rednotebook: importComplaint(input, "rednotebook", "2025-01.txt")
    case .joplin: importComplaint(input, "joplin-raw", "a.md")
    case .markdownfolder: importComplaint(input, "obsidian", "a/2025-01-01.md")
    case .orgjournal: importComplaint(input, "org-journal", "20250101.org")
    case .tuijournal: importComplaint(input, "tui-journal", "a.json")
    case .datedtext: importComplaint(input, "text", "a.txt")
    case .applejournal: importComplaint(input, "applejournal", "Entries/2025-01-01.html")
    case .diarium: importComplaint(input, "diarium", "a.json")
    case .diaryjson: importComplaint(input, "diary", "a.json")
    case .encodings: encodingComplaint(input)
    }
  }
}

/// The texts of an input, exactly so many.
func parts(_ input: [UInt8], _ count: Int) -> [[UInt8]] {
  let found = input.split(separator: 0x1F, maxSplits: count - 1, omittingEmptySubsequences: false)
  return found.map(Array.init) + Array(repeating: [], count: count - found.count)
}

/// Bytes as a text, read as Swift reads them.
func words(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
