// What no input may do to a reader. The corpus tests and the fuzzer ask the same questions; a crash
// or a hang answers them as well as a complaint does.

/// One of Diary's readers, with what holds for it whatever it is given.
public enum HostileTarget: String, CaseIterable, Sendable {
  case header, dates, settings, merge, trees, phone, page, answers, globs, words, links

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
