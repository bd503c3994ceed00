import GitHistory
import Glibc
import Localization

/// The version of the private state in `.git/diary/`.
///
/// The file `version` there contains the number; without it, the version is 1. State of a newer
/// version is neither read nor written: every command refuses the journal, and a running watcher
/// ends. A program that raises the number writes it first, under the journal's lock, and then
/// changes the state. A command that waits for the lock reads the new number once it has the lock.
enum StateVersion {
  /// The version that this program reads and writes.
  static let current = 1
  private static let name = "version"

  /// Throws if a newer Diary wrote the state, or if its version cannot be determined.
  static func requireSupported(in folder: String, of journal: String) throws(DiaryError) {
    let path = folder + "/" + name
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if descriptor < 0, errno == ENOENT || errno == ENOTDIR { return }
    guard descriptor >= 0 else {
      throw DiaryError(
        localized("cannot read \(path): \(String(cString: strerror(errno)))"),
        hint: localized("it contains the version of the journal's state; make it readable"))
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
        "a newer version of Diary wrote the state of the journal \(journal), and this "
          + "version cannot read it"),
      details: [
        localized("state: \(versionText) in \(path); this program uses version \(current)")
      ],
      hint: localized("install the newer version of Diary; nothing was changed"))
  }
}

extension RepositoryLocation {
  /// Throws if a newer Diary wrote the private state of this work tree, or of the main one, whose
  /// version also covers the state that all work trees share.
  func requireSupportedState(of journal: String) throws(DiaryError) {
    try StateVersion.requireSupported(in: diaryDirectory, of: journal)
    if commonDirectory != gitDirectory {
      try StateVersion.requireSupported(in: commonDirectory + "/diary", of: journal)
    }
  }
}
