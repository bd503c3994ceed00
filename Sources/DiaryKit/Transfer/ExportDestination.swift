import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc
import Localization

/// The destination of an export outside of the journal, created completely or not at all.
///
/// The content is written under a hidden name in the same folder and renamed at the end. If this
/// object is released before, the draft is removed. Only its owner can read it, unless it replaces a
/// file, whose permissions it takes.
final class ExportDestination {
  /// The hidden path of the draft.
  let draft: String
  /// The path as the user gave it.
  let displayPath: String
  private let path: String
  private let canReplace: Bool
  /// The permissions of the file that is replaced.
  private let replacedMode: mode_t?

  /// Throws if it would be in a locked journal.
  ///
  /// - Parameters:
  ///   - path: an absolute path.
  ///   - isFolder: whether to create a folder. An existing one must be empty.
  ///   - replacing: whether an existing file may be replaced.
  init(
    _ path: String, displayPath: String, isFolder: Bool, replacing: Bool,
    _ environment: RuntimeEnvironment
  ) throws(DiaryError) {
    _ = try AvailableFolder(forNew: path, environment)
    var status = stat()
    let isPresent = lstat(path, &status) == 0
    if isPresent {
      try Self.checkExisting(status, path, displayPath, isFolder: isFolder, replacing: replacing)
    }
    (self.path, self.displayPath, self.canReplace) = (path, displayPath, replacing)
    replacedMode = isPresent && !isFolder ? status.st_mode & 0o777 : nil
    let (folder, name) = Self.parts(path)
    draft = folder + "/." + name + ".\(getpid()).part"
    if isFolder, mkdir(draft, 0o700) != 0 { throw .cannotWrite(displayPath, errno) }
  }

  deinit { discard() }

  /// Gives the draft its final name.
  func finish() throws(DiaryError) {
    // link(2) fails if a file was created here in the meantime. rename(2) would replace it, unless
    // it is a folder that is not empty.
    var status = stat()
    if !canReplace, lstat(draft, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      if link(draft, path) == 0 {
        unlink(draft)
        return
      }
      guard errno != EEXIST else { throw .cannotWrite(displayPath, EEXIST) }
    }
    if let replacedMode, chmod(draft, replacedMode) != 0 { throw .cannotWrite(displayPath, errno) }
    guard rename(draft, path) == 0 else { throw .cannotWrite(displayPath, errno) }
  }

  private func discard() {
    var status = stat()
    guard lstat(draft, &status) == 0 else { return }
    try? FileManager.default.removeItem(atPath: draft)
  }

  private static func parts(_ path: String) -> (folder: String, name: String) {
    let name = String(
      path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    return (path.count > name.count + 1 ? String(path.dropLast(name.count + 1)) : "", name)
  }

  private static func checkExisting(
    _ status: stat, _ path: String, _ displayPath: String, isFolder: Bool, replacing: Bool
  ) throws(DiaryError) {
    let kind = status.st_mode & S_IFMT
    if isFolder {
      guard kind == S_IFDIR else {
        throw DiaryError(
          localized("\(displayPath) already exists, and is not a folder"),
          hint: localized("name a folder that does not exist yet"))
      }
      let names = try? FileManager.default.contentsOfDirectory(atPath: path)
      guard names?.isEmpty == true else {
        throw DiaryError(
          localized("the folder \(displayPath) is not empty"),
          hint: localized("name a folder that does not exist yet; Diary does not replace folders"))
      }
      return
    }
    guard kind == S_IFREG else {
      throw DiaryError(
        localized("\(displayPath) is not a regular file"), hint: localized("name another file"))
    }
    guard replacing else {
      throw DiaryError(
        localized("\(displayPath) already exists"), hint: localized("use --force to replace it"))
    }
  }
}

extension Transfer {
  /// Returns the destination of an export. A path inside the journal is refused unless git ignores
  /// it: the export would become a part of the journal or of an entry.
  func exportDestination(
    _ name: String, isFolder: Bool, replacing: Bool
  ) async throws -> ExportDestination {
    var path = journal.environment.absolutePath(of: name)
    if let folder = realpath((path as NSString).deletingLastPathComponent, nil) {
      defer { free(folder) }
      path = String(cString: folder) + "/" + (path as NSString).lastPathComponent
    }
    let realRoot = realpath(journal.root, nil)
    defer { free(realRoot) }
    let root = realRoot.map { String(cString: $0) } ?? journal.root
    if path == root || path.hasPrefix(root + "/") {
      let inside = EntryPath(path.dropFirst(root.count + 1))
      let isGit = inside?.names.contains { $0.elementsEqual(".git".utf8) } ?? true
      let ignoreCheckPath = isFolder ? inside?.appending("index.html".utf8) : inside
      let isIgnored: Bool =
        if let ignoreCheckPath, !isGit {
          !(try await journal.repository.ignoredPaths(among: [ignoreCheckPath]).isEmpty)
        } else { false }
      guard isIgnored else {
        throw DiaryError(
          localized("\(name) is inside the journal and would become a part of it"),
          hint: localized("name a path outside of \(root), or one that git ignores"))
      }
    }
    return try ExportDestination(
      path, displayPath: name, isFolder: isFolder, replacing: replacing, journal.environment)
  }
}
