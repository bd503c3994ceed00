import DiaryCore
import EntryFiles
import Foundation
import Glibc
import Synchronization
import Testing

/// An editor saves repeatedly while Diary stamps the file.
@Suite(.serialized) struct RaceTests {
  /// The ways in which the editor saves, named by the system calls.
  enum Save: CaseIterable, Sendable { case renameOver, moveAwayAndWrite, writeInPlace }

  @Test(arguments: Save.allCases)
  func `the last save of an editor survives Diary's writes`(_ save: Save) throws {
    let sandbox = try TestFolder()
    try sandbox.write("a.md", "save 0\n")
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
        // The settle time of this test's editor, which needs far less to write.
        usleep(2000)
        if let words = try? aside?.bytesWrittenAfterReplace() {
          late.withLock { _ = $0.insert(String(decoding: words, as: UTF8.self)) }
        }
        aside?.discard()
      }
    }
    stamper.start()
    var last = ""
    var number = 0
    // On a busy machine the stamper may be late.
    while number < 150 || stamps.withLock({ $0 }) == 0 && number < 100_000 {
      number += 1
      last = "save \(number)\n"
      edit(sandbox.absolutePath("a.md"), last, save)
      if number % 8 == 0 { usleep(500) }
    }
    // A stamp in progress may still exchange the file twice.
    usleep(20_000)
    isDone.withLock { $0 = true }
    while !stamper.isFinished { usleep(1000) }
    let text = sandbox.text("a.md") ?? ""
    let stands =
      text.hasPrefix(last) && text.dropFirst(last.count).allSatisfy { "stamp\n".contains($0) }
    // If it was written in place during an exchange, the later check finds it.
    let isKept = late.withLock { $0.contains(last) } || leftovers(sandbox).contains(last)
    #expect(stands || isKept, "\(save): \(text.prefix(80))")
    #expect(stamps.withLock { $0 } > 0)
  }

  private func leftovers(_ sandbox: TestFolder) -> [String] {
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
