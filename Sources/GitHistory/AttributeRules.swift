import CLibgit2
import DiaryCore
import Glibc

/// Whether git's attributes can say anything of a path. Looking them up costs libgit2 a dozen walks
/// from the root for each file, and most journals have none. Made for one piece of work.
struct AttributeRules {
  /// Attributes that lie outside the work tree, or settings that convert line ends without any.
  private let areEverywhere: Bool
  private var folders: [EntryPath?: Bool] = [:]

  init(_ repository: isolated GitRepository) {
    let environment = GitLibrary.environment
    let home = environment["XDG_CONFIG_HOME"] ?? (environment["HOME"] ?? "") + "/.config"
    let files = [
      repository.place.commonDirectory + "/info/attributes", home + "/git/attributes",
      "/etc/gitattributes",
    ]
    let conversion = repository.configured("core.autocrlf")?.lowercased() ?? "false"
    areEverywhere =
      files.contains { access($0, F_OK) == 0 }
      || repository.configured("core.attributesFile") != nil
      || !["false", "no", "off", "0"].contains(conversion)
    repository.useReadableIndex()
  }

  /// `path` is of the repository.
  mutating func mayName(_ path: EntryPath, _ repository: isolated GitRepository) -> Bool {
    areEverywhere || mayName(in: path.folder, repository)
  }

  /// A file of attributes counts on the disk, and where it is missing there, in the index.
  private mutating func mayName(in folder: EntryPath?, _ repository: isolated GitRepository) -> Bool
  {
    if let known = folders[folder] { return known }
    let name = ".gitattributes".utf8
    let answer: Bool
    if let file = folder?.appending(name) ?? EntryPath(bytes: name) {
      answer =
        access(repository.place.onDisk(file), F_OK) == 0
        || repository.lastIndex?.entry(at: file) != nil
        || (folder.map { mayName(in: $0.folder, repository) } ?? false)
    } else {
      answer = true
    }
    folders[folder] = answer
    return answer
  }
}
