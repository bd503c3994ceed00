import DiaryCore
import TestSupport

@testable import DiaryKit

/// A state of a path, as the table in docs/architecture.md names it. Each one is made by what makes
/// it in a user's folder: an editor, a sync, git, a mount.
enum SampleState: String, CaseIterable, Sendable {
  case clean
  case unsaved
  case emptied = "emptied by a crash"
  case tooLarge = "over 50 MB"
  case deleted = "deleted, not saved"
  case missing
  case moved = "moved, not saved"
  case movedAndChanged = "moved and changed, not saved"
  case link = "a link in its place"
  case pending
  case returned = "deletion saved, file is back"
  case onHold = "commits on hold"
  case staged
  case unmerged = "unmerged in git"
  case leftToGit = "left to git"
  case pulled = "replaced by git pull"
  case waitsOpen = "waits, editor open"
  case waits
  case waitsChanged = "waits, newer text on disk"
  case replaced = "replaced by a sync"
  case oldBuffer = "old buffer on disk"
  case gone = "gone by a sync, written again"
  case movedBySync = "moved by a sync, old buffer at the old path"
  case open = "open in an editor"
  case blank
  case conflictCopy = "conflict copy beside it"
  case review = "to review"
  case stamp = "stamp waits for the network"
  case editorStamp = "stamp waits for the editor"
  case ignored
  case otherRepository = "in another repository"
  case away = "on a disk that is not mounted"
  case justEmptied = "just emptied"
  case changing = "being written"
  case unreadable
  case hardLinked = "hard-linked"
  case elsewhere = "saved on another branch"
  case unborn = "on a branch without a commit"
  case importKilled = "import killed half way"
  case pageDraft = "begun on the page"
  case receivedMove = "moved by a sync"
  case displaced = "late text in a displaced file"
  case leftover = "left by a killed Diary"
  case list = "the list file"
  case listCopy = "a copy of the list"
  case full = "on a full disk"
  case readOnly = "on a read-only disk"
  case suspended = "watcher suspended"
  case textFile = "no entry, old buffer on disk"
  case settings = "the settings, old buffer on disk"
  case purged = "a version purged"
  case sparse = "left out by sparse checkout"
  case oldAgain = "the same old buffer again"
  case editing = "`diary edit` runs"

  static let text = "---\ntitle: Station: late\n---\n\nWe met at the station.\n"

  /// The path that the commands get.
  var path: EntryPath {
    switch self {
    case .moved, .movedAndChanged, .receivedMove: "b.md"
    case .ignored: "hidden.md"
    case .otherRepository: "inner/c.md"
    case .away, .readOnly: "trip/a.md"
    case .blank: "2026/11/2026-11-21-evening.md"
    case .importKilled: "walk.md"
    case .pageDraft: "2026/11/2026-11-21-2104.md"
    case .list: "INDEX.md"
    case .listCopy: "lists/INDEX.md"
    case .textFile: "todo.txt"
    case .settings: ".diary/config.yml"
    default: "a.md"
    }
  }

  /// Words that the state has on the disk or in the branch, and that no command may lose.
  var words: [String] {
    switch self {
    case .unsaved, .movedAndChanged, .pending, .onHold, .staged, .leftToGit, .gone, .movedBySync,
      .hardLinked, .elsewhere, .unborn, .importKilled, .leftover, .full, .readOnly,
      .suspended, .editing:
      ["A line of my own."]
    case .pulled, .waitsOpen, .waits, .replaced: ["Mina told me"]
    case .waitsChanged, .oldBuffer, .unmerged, .displaced, .textFile, .purged, .oldAgain:
      ["Mina told me", "A line of my own."]
    case .settings: ["units: imperial", "sitting: 20m"]
    case .list: []
    case .listCopy: ["A line of my own."]
    default: ["We met at the station."]
    }
  }

  /// True if the words come from another device: they stay in the files, too.
  var isFromElsewhere: Bool {
    switch self {
    case .pulled, .waitsOpen, .waits, .waitsChanged, .replaced, .oldBuffer, .oldAgain:
      true
    default: false
    }
  }

  /// True if a command that refuses the path, or leaves it out, does not end the state.
  var isLasting: Bool {
    switch self {
    case .emptied, .tooLarge, .missing, .link, .onHold, .staged, .unmerged, .leftToGit, .waitsOpen,
      .conflictCopy, .review, .ignored, .away, .changing, .unreadable, .suspended:
      true
    default: false
    }
  }

  /// True if `status` names the path in this state.
  func isNamed(in status: JournalStatus) -> Bool {
    let skipped = status.skipped.map(\.path)
    return switch self {
    case .unsaved, .movedAndChanged, .oldBuffer, .gone, .movedBySync, .justEmptied, .changing,
      .importKilled, .listCopy, .textFile, .settings, .oldAgain, .unborn, .full,
      .readOnly, .suspended:
      !status.unsaved.isEmpty && (self != .suspended || status.isWatcherSuspended)
    case .emptied, .tooLarge, .link, .unmerged, .leftToGit, .ignored, .unreadable:
      skipped.contains(path)
    case .otherRepository, .list: !skipped.contains(path) && !status.unsaved.contains(path)
    case .deleted, .missing, .away: status.missing.contains(path)
    case .sparse: !status.missing.contains(path)
    case .pending: status.pending.contains(path)
    case .onHold: status.deferReason != nil
    case .staged: status.stagedByUser.contains(path)
    case .waitsOpen, .waits, .waitsChanged: status.toUpdate.map(\.path).contains(path)
    case .conflictCopy: status.conflictCopies.map(\.original).contains(path)
    case .review: status.review.contains(path)
    case .clean, .moved, .returned, .pulled, .replaced, .open, .blank, .stamp, .editorStamp,
      .hardLinked, .elsewhere, .pageDraft, .receivedMove, .displaced, .leftover, .purged, .editing:
      true
    }
  }
}
