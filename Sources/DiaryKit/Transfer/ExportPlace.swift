import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc
import Localization

/// Where a document, or a folder of them, is to come up outside of the journal: whole, or not at all.
///
/// It is made beside that place under a hidden name, and takes its own name at the end; when this value
/// goes away before, what was made goes too.
final class ExportDestination {
  /// The hidden name under which it is made.
  let draft: String
  /// The name as the user gave it.
  let displayPath: String
  private let path: String
  private let canReplace: Bool

  /// - Parameters:
  ///   - path: absolute.
  ///   - isFolder: whether a folder is to be made; one that is there must be empty.
  ///   - replacing: whether a file that is there may go.
  init(_ path: String, displayPath: String, isFolder: Bool, replacing: Bool) throws(DiaryError) {
    var status = stat()
    if lstat(path, &status) == 0 {
      try Self.checkExisting(status, path, displayPath, isFolder: isFolder, replacing: replacing)
    }
    (self.path, self.displayPath, self.canReplace) = (path, displayPath, replacing)
    let (folder, name) = Self.parts(path)
    draft = folder + "/." + name + ".\(getpid()).part"
    if isFolder, mkdir(draft, 0o777) != 0 { throw .cannotWrite(displayPath, errno) }
  }

  deinit { discard() }

  /// Gives what was made its own name.
  func finish() throws(DiaryError) {
    // Linking fails where something has come up meanwhile; renaming would take its place, if that is no
    // folder with something in it.
    var status = stat()
    if !canReplace, lstat(draft, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      if link(draft, path) == 0 {
        unlink(draft)
        return
      }
      guard errno != EEXIST else { throw .cannotWrite(displayPath, EEXIST) }
    }
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
          hint: localized("name a folder that does not exist yet; Diary replaces none"))
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

extension Journal {
  /// The place for an export. Inside the journal it would become a part of it, or of an entry: that is
  /// refused unless git ignores it.
  func exportDestination(
    _ name: String, isFolder: Bool, replacing: Bool
  ) async throws -> ExportDestination {
    var path = environment.absolutePath(of: name)
    if let folder = realpath((path as NSString).deletingLastPathComponent, nil) {
      defer { free(folder) }
      path = String(cString: folder) + "/" + (path as NSString).lastPathComponent
    }
    let realRoot = realpath(root, nil)
    defer { free(realRoot) }
    let root = realRoot.map { String(cString: $0) } ?? self.root
    if path == root || path.hasPrefix(root + "/") {
      let inside = EntryPath(path.dropFirst(root.count + 1))
      let isGit = inside?.names.contains { $0.elementsEqual(".git".utf8) } ?? true
      let ignoreCheckPath = isFolder ? inside?.appending("index.html".utf8) : inside
      let isIgnored: Bool =
        if let ignoreCheckPath, !isGit {
          !(try await repository.ignoredPaths(among: [ignoreCheckPath]).isEmpty)
        } else { false }
      guard isIgnored else {
        throw DiaryError(
          localized("\(name) is inside the journal and would become a part of it"),
          hint: localized("name a place outside of \(root), or one that git ignores"))
      }
    }
    return try ExportDestination(path, displayPath: name, isFolder: isFolder, replacing: replacing)
  }
}
