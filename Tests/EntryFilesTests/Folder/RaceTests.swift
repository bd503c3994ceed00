import DiaryCore
import EntryFiles
import Foundation
import Glibc
import Synchronization
import Testing

/// An editor saves again and again while Diary stamps.
@Suite(.serialized) struct RaceTests {
  /// How the editor saves; the names tell what its programs do.
  enum Save: CaseIterable, Sendable { case renameOver, moveAwayAndWrite, writeInPlace }

  @Test(arguments: Save.allCases)
  func `the last save of an editor stands, whatever Diary writes meanwhile`(_ save: Save) throws {
    let sandbox = try Sandbox()
    try sandbox.put("a.md", "save 0\n")
    let isDone = Mutex(false)
    let stamps = Mutex(0)
    let late = Mutex<Set<String>>([])
    let stamper = Thread {
      while !isDone.withLock({ $0 }) {
        guard let text = try? sandbox.folder.read(path("a.md")), !text.bytes.isEmpty,
          let outcome = try? sandbox.folder.replace(
            path("a.md"), expecting: text.bytes, with: text.bytes + bytes("stamp\n"))
        else { continue }
        guard case .replaced(let aside) = outcome else { continue }
        stamps.withLock { $0 += 1 }
        // The settle time of this test's editor: it writes in far less.
        usleep(2000)
        if let words = try? aside?.bytesWrittenAfterReplace() {
          late.withLock { _ = $0.insert(String(decoding: words, as: UTF8.self)) }
        }
        aside?.discard()
      }
    }
    stamper.start()
    var last = ""
    for number in 1...150 {
      last = "save \(number)\n"
      edit(sandbox.absolute("a.md"), last, save)
      if number % 8 == 0 { usleep(500) }
    }
    // A stamp under way may still give the name back and forth.
    usleep(20_000)
    isDone.withLock { $0 = true }
    while !stamper.isFinished { usleep(1000) }
    let text = sandbox.text("a.md") ?? ""
    let stands =
      text.hasPrefix(last) && text.dropFirst(last.count).allSatisfy { "stamp\n".contains($0) }
    // Written in place into the file that was being exchanged: found when it is looked at again.
    let isKept = late.withLock { $0.contains(last) } || leftovers(sandbox).contains(last)
    #expect(stands || isKept, "\(save): \(text.prefix(80))")
    #expect(stamps.withLock { $0 } > 0)
  }

  private func leftovers(_ sandbox: Sandbox) -> [String] {
    sandbox.names().filter { $0.hasPrefix(".diary-") }.compactMap { sandbox.text($0) }
  }

  private func edit(_ file: String, _ text: String, _ save: Save) {
    switch save {
    case .renameOver:
      write(text, to: file + ".new", O_CREAT | O_TRUNC)
      rename(file + ".new", file)
    case .moveAwayAndWrite:
      rename(file, file + "~")
      write(text, to: file, O_CREAT | O_TRUNC)
    case .writeInPlace: write(text, to: file, O_TRUNC | O_CREAT)
    }
  }

  private func write(_ text: String, to file: String, _ flags: Int32) {
    let descriptor = open(file, O_WRONLY | O_CLOEXEC | flags, 0o644)
    Glibc.write(descriptor, text, text.utf8.count)
    close(descriptor)
  }
}
