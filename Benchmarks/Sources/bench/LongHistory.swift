import Foundation
import Glibc

extension JournalPair {
  /// An entry that has a long history after ``makeHistory(_:in:)``.
  static let historyEntryPath = "2010/07/entry-0.md"

  /// Copies the journal and adds commits that edit 200 more entries in turn.
  func makeHistory(_ commits: Int, in copy: String) {
    if access(copy + "/.git/complete", F_OK) == 0 { return }
    printProgress("making \(commits) commits in \(copy)")
    try? FileManager.default.removeItem(atPath: copy)
    world.command(["cp", "-a", journal, copy], in: "/").runOrFail()
    var stream = ""
    for index in 0..<commits {
      let text = "---\ntitle: Entry \(index % 200)\n---\n\nEdited in \(index).\n"
      stream += "commit refs/heads/main\ncommitter Bench <bench@localhost> \(index + 1_700_000_000)"
      stream += " +0000\ndata 4\nEdit\n" + (index == 0 ? "from refs/heads/main^0\n" : "")
      stream +=
        "M 100644 inline 2010/07/entry-\(index % 200).md\ndata \(text.utf8.count)\n\(text)\n"
    }
    let file = copy + "/.git/commits"
    guard FileManager.default.createFile(atPath: file, contents: Data(stream.utf8)) else {
      fail("cannot write \(file)")
    }
    world.command(["sh", "-c", "git fast-import --quiet <.git/commits"], in: copy).runOrFail()
    world.command(["git", "reset", "-q", "--hard"], in: copy).runOrFail()
    world.command(["diary", "save", "--quiet"], in: copy).runOrFail()
    _ = FileManager.default.createFile(atPath: copy + "/.git/complete", contents: Data())
  }
}
