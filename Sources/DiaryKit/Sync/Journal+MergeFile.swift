import DiaryCore
import Foundation
import Glibc

extension Journal {
  /// git's merge driver: merges `theirs` into the file `ours`. Fails, and leaves `ours` as it is, on
  /// what is no text; git's own merge then has its turn.
  public static func mergeFile(
    base: String, ours: String, theirs: String, named name: String, _ surroundings: Surroundings
  ) throws {
    let sides = try [ours, theirs].map { try surroundings.contents(of: $0) }
    // Where there is no common ancestor git hands over an empty file.
    let ancestor = try surroundings.contents(of: base)
    guard (sides + [ancestor]).allSatisfy({ EntryMerge.canMerge($0) }) else {
      throw DiaryError(
        "\(name) is no text that can be merged by word", hint: "git merges it in its own way")
    }
    let merge = EntryMerge(base: ancestor.isEmpty ? nil : ancestor, sides[0], sides[1])
    let place = surroundings.absolute(ours)
    do {
      // git made this file for the driver to write into; nobody else has it open.
      try Data(merge.bytes).write(to: URL(fileURLWithPath: place))
    } catch {
      throw DiaryError("cannot write \(place): \(DiaryError.words(of: error))")
    }
  }

  /// The lines of `.git/info/attributes` that name the driver for the entries below `base` (`/` or
  /// `/journal/`, from the top of the repository).
  static func mergeAttributes(below base: String) -> [String] {
    ["md", "markdown"].map { ending in
      let pattern = base.escaped("\\*?[", by: "\\") + "**/*.\(ending)"
      // git reads a pattern with blanks only in quotes, as C writes a string.
      let isPlain = pattern.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") }
      let quoted = isPlain ? pattern : "\"" + pattern.escaped("\\\"", by: "\\") + "\""
      return quoted + " merge=diary"
    }
  }

  /// The local configuration that makes git call ``mergeFile(base:ours:theirs:named:_:)``; where that
  /// program is missing or fails, git's own merge of one file takes its place.
  static let mergeDriverSettings: [(key: String, value: String)] = [
    ("merge.diary.name", "entries by paragraph and word"),
    ("merge.diary.driver", "diary merge-file %O %A %B %P || git merge-file %A %O %B"),
  ]
}

extension String {
  fileprivate func escaped(_ characters: String, by mark: Character) -> String {
    var text = ""
    for character in self {
      if characters.contains(character) { text.append(mark) }
      text.append(character)
    }
    return text
  }
}
