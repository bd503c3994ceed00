import Foundation
import Glibc

/// The comparisons for one journal size.
struct Operations {
  let pair: JournalPair

  /// All comparisons of whole processes that need no watcher.
  var all: [Comparison] { starting + listing + searching + saving }

  private var starting: [Comparison] {
    var version = Comparison(
      "--version", pair.diaryCommand("--version"), against: pair.gitTreeCommand("git", "--version"),
      "git --version", rounds: 21)
    version.most = 15
    return [version]
  }

  private var listing: [Comparison] {
    [
      Comparison(
        "list -n 10", pair.diaryCommand("list", "-n", "10"), against: pair.findCommand,
        "find -printf",
        limits: [1_000: 2, 10_000: 1.5, 100_000: 1.5]),
      Comparison(
        "list, whole", pair.diaryCommand("list"), against: pair.findCommand, "find -printf",
        limits: [1_000: 3, 10_000: 3, 100_000: 3]),
      Comparison(
        "list -n 10 after one change", pair.diaryCommand("list", "-n", "10"),
        against: pair.findCommand, "find -printf", limits: [1_000: 3, 10_000: 1.8, 100_000: 1.8],
        before: { pair.edit(pair.journal) }),
    ]
  }

  private var searching: [Comparison] {
    [
      Comparison(
        "search, one entry in 50", pair.diaryCommand("search", "kingfisher"),
        against: pair.journalCommand("rg", "-l", "kingfisher", pair.journal), "rg -l",
        limits: [1_000: 2, 10_000: 1.5, 100_000: 1.5]),
      Comparison(
        "search, two Korean letters", pair.diaryCommand("search", "산책"),
        against: pair.journalCommand("rg", "-l", "산책", pair.journal), "rg -l",
        limits: [1_000: 4, 10_000: 4, 100_000: 4]),
      Comparison(
        "index --rebuild", pair.diaryCommand("index", "--rebuild", "--quiet"),
        against: pair.journalCommand("rg", "-c", "kingfisher", pair.journal), "rg -c",
        limits: [1_000: 15, 10_000: 12, 100_000: 12], rounds: 5),
    ]
  }

  private var saving: [Comparison] {
    [
      saveOfNothing,
      saveOfOneEdit,
      history,
      firstSave,
    ]
  }

  private var saveOfNothing: Comparison {
    Comparison(
      "save, nothing to do", pair.diaryCommand("save"),
      against: pair.gitTreeCommand("git", "status", "--porcelain"), "git status",
      limits: [1_000: 8, 10_000: 3, 100_000: 3])
  }

  private var saveOfOneEdit: Comparison {
    Comparison(
      name: "save of one edit", tool: "git add, git commit", limits: [1_000: 6, 10_000: 3.5],
      ours: {
        pair.edit(pair.journal)
        return pair.diaryCommand("save").run()
      },
      theirs: {
        pair.edit(pair.plain)
        return pair.addAndCommit(JournalPair.editedPath)
      })
  }

  /// In a copy of the journal with ten thousand more commits, fifty of them of this entry.
  private var history: Comparison {
    let copy = pair.journal + "-history"
    let path = JournalPair.historyEntryPath
    var comparison = Comparison(
      "history of one entry", pair.world.command(["diary", "history", path], in: copy),
      against: pair.world.command(
        ["git", "log", "--follow", "--format=%h %ad %s", "--", path], in: copy),
      "git log --follow", limits: [1_000: 2, 10_000: 1.2, 100_000: 1.2])
    comparison.first = { pair.makeHistory(10_000, in: copy) }
    return comparison
  }

  /// From a folder of files to a journal with all of them committed.
  private var firstSave: Comparison {
    let (ours, theirs) = (pair.journal + "-first", pair.plain + "-first")
    return Comparison(
      name: "init and first save", tool: "git init, add, commit",
      limits: [1_000: 2, 10_000: 1.2, 100_000: 1.2], rounds: 3,
      ours: {
        pair.copyFiles(to: ours)
        defer { try? FileManager.default.removeItem(atPath: ours) }
        return pair.world.command(["diary", "init", "--yes", "--quiet", ours], in: "/").run()
      },
      theirs: {
        pair.copyFiles(to: theirs)
        defer { try? FileManager.default.removeItem(atPath: theirs) }
        let start = pair.world.command(["git", "init", "-q"], in: theirs).run()
        return start.followed(by: pair.addAndCommit("-A", in: theirs))
      })
  }
}

extension JournalPair {
  /// Runs `git add` and `git commit`, timed as one.
  func addAndCommit(_ path: String, in folder: String? = nil) -> RunResult {
    let folder = folder ?? plain
    let add = world.command(["git", "add", path], in: folder).run()
    return add.followed(by: world.command(["git", "commit", "-qm", "x"], in: folder).run())
  }

  /// Copies the files without their history and flushes them, so that neither side pays for it.
  func copyFiles(to folder: String) {
    try? FileManager.default.removeItem(atPath: folder)
    makeFolder(folder)
    let years = (1995...2024).map { year in "\(plain)/\(year)" }
    world.command(["cp", "-a"] + years + [folder], in: "/").runOrFail()
    sync()
  }
}

extension RunResult {
  /// The sum of two runs.
  func followed(by next: RunResult) -> RunResult {
    RunResult(
      milliseconds: milliseconds + next.milliseconds, processor: processor + next.processor,
      peakKilobytes: max(peakKilobytes, next.peakKilobytes), written: written + next.written,
      status: status == 0 ? next.status : status)
  }
}
