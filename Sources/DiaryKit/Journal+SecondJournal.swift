import DiaryCore
import Foundation
import GitHistory

extension Journal {
  /// Refuses to make a second journal in a repository: the two would share one index, one lock and one
  /// note of everything, and each would save the other's files.
  static func refuseSecondJournal(_ root: String) throws {
    guard !isFolder(root + "/.diary"), let place = try nearestRepository(root),
      let other = try otherJournal(root, place)
    else { return }
    throw DiaryError(
      "\(place.workTree) holds a journal already, in \(other), and a repository holds one journal",
      hint: root == place.workTree
        ? "make the new one in another folder"
        : "`diary init \(root) --separate` gives the new one a repository of its own")
  }

  /// The repository that the folder lies in, or will lie in.
  private static func nearestRepository(_ root: String) throws -> GitPlace? {
    var folder = root
    while !isFolder(folder), folder != "/" {
      folder = (folder as NSString).deletingLastPathComponent
    }
    return try GitPlace.find(journal: folder)
  }

  private static func otherJournal(_ root: String, _ place: GitPlace) throws -> String? {
    var folder = root
    while folder != place.workTree, folder.hasPrefix(place.workTree) {
      folder = (folder as NSString).deletingLastPathComponent
      if isFolder(folder + "/.diary") { return folder }
    }
    // One beside or below it stands in git's local lines.
    for base in try place.journalsInLocalLines() {
      let other = base == "/" ? place.workTree : place.workTree + base.dropLast()
      if other != root, isFolder(other + "/.diary") { return other }
    }
    return nil
  }
}
