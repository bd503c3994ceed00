import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory

/// The folder and git's side of it as one look found them.
struct RestingLook {
  let walk: Walk
  /// The same in two looks: nothing was touched in between that decides what there is to save.
  let sign: String
  /// Whether every file had been left alone for long enough that a later write will surely show.
  let isSure: Bool
}

extension Journal {
  /// Taken before git is asked what has changed: where git then finds nothing to save, the next save
  /// that sees the same need not ask. `nil` while something stands in the way of a whole look.
  func restingLook() -> RestingLook? {
    guard branchWaits == nil, let git = place.signs() else { return nil }
    let walk = folder.walk(EntryRules(settings: settings), others: true)
    guard walk.unreadable.isEmpty, walk.leftovers.isEmpty else { return nil }
    let lists = [walk.entries, walk.others, walk.own, walk.ignoreFiles]
    let files = lists.map { list in
      FilesPrint(
        list.map { file in
          var stamp = file.stamp
          // What puts a file's time back after writing it (`touch -r`, some editors) shows here.
          stamp.modified = file.touched
          return IndexedFile(path: file.path, stamp: stamp)
        }
      ).text
    }
    let repositories = walk.repositories.map(\.text).joined(separator: " ")
    let newest = lists.joined().map(\.stamp.modified).max() ?? 0
    let touched = lists.joined().map(\.touched).max() ?? 0
    return RestingLook(
      walk: walk,
      sign: (files + [git.text, ignoreKey(walk), repositories, "\(savedFiles)"])
        .joined(separator: "\n"),
      // Coarse file systems keep times of two seconds; within one tick of the kernel's clock a second
      // touch leaves the same.
      isSure: max(newest, git.newest) + 2_000_000_000 <= walk.startedAt
        && touched + 20_000_000 <= walk.startedAt)
  }

  /// Whether git was asked before about what this look sees, and there was nothing to save.
  func isAtRest(_ look: RestingLook) -> Bool { (try? catalog.remark("rest")) == look.sign }

  /// Remembers that there was nothing to save.
  func noteRest(_ look: RestingLook) {
    guard look.isSure, !isAtRest(look) else { return }
    try? catalog.setRemark("rest", look.sign)
  }
}

extension Gathered {
  /// Whether there was nothing to save, and nothing that will be.
  var isNothing: Bool {
    changes.isEmpty && missing.isEmpty && leftOut.isEmpty && restless.isEmpty
  }
}

extension SaveOutcome {
  /// Whether nothing was saved, and nothing waits.
  var isNothing: Bool { commit == nil && waiting == nil && stagedByWriter.isEmpty && mended == nil }
}
