import DiaryCore

extension Journal {
  /// Refuses a text that would make an entry one that can never be rewritten again.
  static func refuseFaults(of text: String, hint: String) throws(DiaryError) {
    guard let fault = TextFault(in: Array(text.utf8)) else { return }
    throw DiaryError(
      "the text has \(fault.reason) in line \(fault.line), column \(fault.column)", kind: .usage,
      hint: hint)
  }
}
