import DiaryCore
import Localization

extension Entries {
  /// Throws if the entry's text cannot be rewritten without loss, with the position of the fault.
  static func refuseDamage(in text: EntryText, of path: EntryPath) throws(DiaryError) {
    guard text.encoding == .utf8 else {
      throw DiaryError(
        localized("\(path.text) is not UTF-8, so nothing was changed"),
        hint: localized("convert it first, with `iconv -t UTF-8`"))
    }
    guard text.isDamaged, let fault = TextFault(in: text.bytes) else { return }
    throw DiaryError(
      localized(
        "\(path.text) has \(fault.reason) in line \(fault.line), column \(fault.column), so nothing "
          + "was changed"), hint: localized("remove it with an editor, then try again"))
  }

  /// Throws if a text would make an entry that cannot be rewritten.
  static func refuseFaults(of text: String, hint: String) throws(DiaryError) {
    guard let fault = TextFault(in: Array(text.utf8)) else { return }
    throw DiaryError(
      localized("the text has \(fault.reason) in line \(fault.line), column \(fault.column)"),
      kind: .usage,
      hint: hint)
  }
}
