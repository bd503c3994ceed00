import DiaryCore
import Glibc

/// Checks whether git's attributes can apply to a path. A lookup costs libgit2 a dozen walks from
/// the root for each file, and most journals have no attributes. Used for one operation.
struct AttributeRules {
  /// True if attributes exist outside the work tree, or if settings convert line ends without any.
  private let hasGlobalRules: Bool
  private var folders: [EntryPath?: Bool] = [:]

  init(_ repository: isolated GitRepository) {
    let folder = GitLibrary.configFolder(GitLibrary.environment) ?? ""
    let files = [folder + "/attributes", "/etc/gitattributes"]
    let conversion = repository.configValue("core.autocrlf")?.lowercased() ?? "false"
    hasGlobalRules =
      files.contains { access($0, F_OK) == 0 }
      || Self.hasOtherAttributes(repository.location.commonDirectory + "/info/attributes")
      || repository.configValue("core.attributesFile") != nil
      || !["false", "no", "off", "0"].contains(conversion)
  }

  /// True if an attributes file sets more than how files are merged, as Diary's own lines do
  /// ("pattern attribute…", gitattributes(5)), or if it cannot be read.
  private static func hasOtherAttributes(_ path: String) -> Bool {
    guard let bytes = try? readFile(path) else { return access(path, F_OK) == 0 }
    return bytes.split(separator: UInt8(ascii: "\n")).contains { line in
      let fields = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard let first = fields.first?.first, first != UInt8(ascii: "#") else { return false }
      return !fields.dropFirst().allSatisfy { $0.starts(with: "merge=".utf8) }
    }
  }

  /// `path` is of the repository.
  mutating func mayHaveAttributes(_ path: EntryPath, _ repository: isolated GitRepository) -> Bool {
    hasGlobalRules || mayHaveAttributes(in: path.folder, repository)
  }

  /// The attributes file counts on disk or, if it is missing there, in the index.
  private mutating func mayHaveAttributes(
    in folder: EntryPath?, _ repository: isolated GitRepository
  ) -> Bool {
    if let known = folders[folder] { return known }
    let name = ".gitattributes".utf8
    let answer: Bool
    if let file = folder?.appending(name) ?? EntryPath(bytes: name) {
      answer =
        access(repository.location.diskPath(file), F_OK) == 0
        || isStaged(file, repository)
        || (folder.map { mayHaveAttributes(in: $0.folder, repository) } ?? false)
    } else {
      answer = true
    }
    folders[folder] = answer
    return answer
  }

  private func isStaged(_ file: EntryPath, _ repository: isolated GitRepository) -> Bool {
    guard case .readable(let index)? = try? repository.openIndex() else { return false }
    return index.entry(at: file) != nil
  }
}
