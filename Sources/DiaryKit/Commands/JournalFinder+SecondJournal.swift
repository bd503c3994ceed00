import DiaryCore
import Foundation
import GitHistory
import Localization

extension JournalFinder {
  /// Throws if the repository already has a journal: the two would share one index, one lock and
  /// all state files, and each would save the other's files. Also throws if a newer Diary wrote the
  /// repository's state.
  static func refuseSecondJournal(_ root: String) throws {
    guard !isFolder(root + "/.diary"), let gitLocation = try nearestRepository(root) else { return }
    try gitLocation.requireSupportedState(of: root)
    guard let other = try otherJournal(root, gitLocation) else { return }
    throw DiaryError(
      localized(
        "\(gitLocation.workTree) has a journal in \(other), and a repository can have only one"),
      hint: root == gitLocation.workTree
        ? localized("create the new one in another folder")
        : localized(
          "`diary init \(shellWord(root)) --separate` creates a separate repository for the new one"
        )
    )
  }

  /// The repository that contains the folder, or will contain it.
  private static func nearestRepository(_ root: String) throws -> RepositoryLocation? {
    var folder = root
    while !isFolder(folder), folder != "/" {
      folder = (folder as NSString).deletingLastPathComponent
    }
    return try RepositoryLocation.find(journal: folder)
  }

  private static func otherJournal(_ root: String, _ gitLocation: RepositoryLocation) throws
    -> String?
  {
    var folder = root
    while folder != gitLocation.workTree, folder.hasPrefix(gitLocation.workTree) {
      folder = (folder as NSString).deletingLastPathComponent
      if isFolder(folder + "/.diary") { return folder }
    }
    // A journal beside or below it has lines in `.git/info/`.
    for base in try gitLocation.journalFoldersInExclude() {
      let other = base == "/" ? gitLocation.workTree : gitLocation.workTree + base.dropLast()
      if other != root, isFolder(other + "/.diary") { return other }
    }
    return nil
  }
}
