import DiaryCore
import Localization

extension DiaryError {
  /// An error for a file that was removed, or never was.
  static func missingFile(_ path: EntryPath) -> DiaryError {
    DiaryError(localized("there is no file \(path.text)"), kind: .nothingFound)
  }

  /// An error for a file that no longer has the content that a command read.
  static func changedMeanwhile(_ path: EntryPath) -> DiaryError {
    DiaryError(
      localized("\(path.text) changed in the meantime, so Diary did not touch it"),
      hint: localized("try again"))
  }

  /// An error for a file that changed at each of several attempts to write it.
  static func keepsChanging(_ path: EntryPath) -> DiaryError {
    DiaryError(
      localized("\(path.text) keeps changing"), hint: localized("close the program that writes it"))
  }

  /// An error for an entry that a command does not rewrite while an editor has it open.
  static func openInEditor(_ path: EntryPath) -> DiaryError {
    DiaryError(
      localized("\(path.text) is open in an editor"), hint: localized("close it, then try again"))
  }
}
