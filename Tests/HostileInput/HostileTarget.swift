// Invariants of Diary's readers for any input. The corpus tests and the fuzzer check the same ones.
// A crash or a hang counts as a failure, too.

/// A reader of Diary, with the invariants that hold for any input.
public enum HostileTarget: String, CaseIterable, Sendable {
  case header, dates, settings, merge, trees, phone, page, answers, globs, words, links, pagetext,
    requests, sealed
  case dayone, journey, jrnl, jrnljson, phones, rednotebook, joplin
  case markdownfolder, orgjournal, tuijournal, datedtext, applejournal, diarium, diaryjson,
    encodings

  /// A description of the violated invariant, or nil. If a reader takes several texts, they are
  /// separated by U+001F.
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
    case .sealed: sealedComplaint(input)
    case .dayone: importComplaint(input, "dayone", "Journal.json")
    case .journey: importComplaint(input, "journey", "1.json")
    case .jrnl: importComplaint(input, "jrnl", "journal.txt")
    case .jrnljson: importComplaint(input, "jrnl-json", "a.json")
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

/// Splits an input into exactly `count` texts.
func parts(_ input: [UInt8], _ count: Int) -> [[UInt8]] {
  let found = input.split(separator: 0x1F, maxSplits: count - 1, omittingEmptySubsequences: false)
  return found.map(Array.init) + Array(repeating: [], count: count - found.count)
}

/// The bytes as a text, with invalid UTF-8 repaired as by Swift.
func decodedText(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
