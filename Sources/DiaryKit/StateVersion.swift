import GitHistory
import Glibc
import Localization

/// The version of the private state in `.git/diary/`.
///
/// A file `version` there holds the number; without one it is 1. Nothing of a newer version is read or
/// written: every command refuses the journal, and a watcher that runs ends. A program that raises the
/// number writes it first, under the journal's lock, then changes the state: a command that waits for
/// the lock finds the number when it has it.
enum StateVersion {
  /// The version that this program reads and writes.
  static let current = 1
  private static let name = "version"

  /// Refuses a state that a newer Diary wrote, or whose version cannot be told.
  static func requireSupported(in folder: String, of journal: String) throws(DiaryError) {
    let path = folder + "/" + name
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0, errno == ENOENT || errno == ENOTDIR { return }
    guard descriptor >= 0 else {
      throw DiaryError(
        localized("cannot read \(path): \(String(cString: strerror(errno)))"),
        hint: localized("it names the version of the journal's state; make it readable"))
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = read(descriptor, &bytes, bytes.count)
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    let number = Int(text.hasSuffix("\n") ? text.dropLast() : text[...])
    if number == current { return }
    let versionText =
      number.map { localized("version \($0)") }
      ?? localized("a version that this program cannot read")
    throw DiaryError(
      localized(
        "a newer Diary wrote the state of the journal \(journal), and this program cannot use it"),
      details: [
        localized("state: \(versionText) in \(path); this program uses version \(current)")
      ],
      hint: localized("install the newer Diary in place of this one; nothing was changed"))
  }
}

extension RepositoryLocation {
  /// Refuses the repository where a newer Diary wrote its private state: that of this work tree, or of
  /// the main one, whose number also stands for what all work trees share.
  func requireSupportedState(of journal: String) throws(DiaryError) {
    try StateVersion.requireSupported(in: diaryDirectory, of: journal)
    if commonDirectory != gitDirectory {
      try StateVersion.requireSupported(in: commonDirectory + "/diary", of: journal)
    }
  }
}
