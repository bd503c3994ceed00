import Foundation
import Glibc

/// A reproducible journal: entries of about 1 kB in several scripts, over thirty
/// years of `YYYY/MM/` folders. One in fifty contains the word kingfisher.
struct SampleJournal {
  let entries: Int
  /// The version of the texts, raised when they change so that no old cached journal is used.
  static let edition = 1

  private static let words = """
    river morning tea letter garden rain walk bread window music train winter 산책 바람 서울 아침 친구 \
    東京 友達 雨 Straße Fluß café Ångström
    """.split(separator: " ").map { Array($0.utf8) }

  /// Writes the files below `root`.
  func write(to root: String) {
    var random = Random(state: 7)
    var made: Set<String> = []
    var text: [UInt8] = []
    for index in 0..<entries {
      let (year, month, day) = (
        1995 + index * 30 / entries, 1 + random.below(12), 1 + random.below(28)
      )
      let folder = "\(root)/\(year)/\(twoDigits(month))"
      if made.insert(folder).inserted { makeFolder(folder) }
      let date = "\(year)-\(twoDigits(month))-\(twoDigits(day))"
      text.removeAll(keepingCapacity: true)
      let clock = "\(twoDigits(index % 24)):\(twoDigits(index % 60))"
      text +=
        """
        ---
        title: Entry \(index)
        date: \(date)T\(clock):00+09:00
        weather: Rain, \(index % 30)°C
        ---


        """.utf8
      for _ in 0..<12 {
        for _ in 0..<13 {
          text += Self.words[random.below(Self.words.count)]
          text.append(UInt8(ascii: " "))
        }
        text.append(UInt8(ascii: "\n"))
      }
      if index % 50 == 0 { text += "A kingfisher.\n".utf8 }
      write(text, to: "\(folder)/\(date)-entry-\(index).md")
    }
  }

  private func write(_ text: [UInt8], to path: String) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard file >= 0, Glibc.write(file, text, text.count) == text.count else {
      fail("cannot write \(path)")
    }
    close(file)
  }

  private func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// Creates a folder and its missing parents.
func makeFolder(_ path: String) {
  do {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  } catch { fail("cannot make \(path): \(error)") }
}

/// A random generator with the same numbers on every machine (Knuth's MMIX constants).
struct Random {
  var state: UInt64

  mutating func below(_ limit: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(limit))
  }
}
