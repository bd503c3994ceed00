import DiaryCore
import EntryFiles
import Foundation
import GitHistory

extension Journal {
  /// Removes entries; their unsaved words are saved first, so that every version can be had back.
  public func delete(_ paths: [EntryPath]) async throws -> SaveOutcome {
    for path in paths where isHeld(path) {
      throw DiaryError(
        "\(path.text) is open in an editor, so nothing was deleted", hint: "close it there first")
    }
    return try await exclusively {
      let found = try await self.gather(paths, atStart: false)
      if let left = found.leftOut.first {
        throw DiaryError(
          "\(left.path.text) \(left.reason), so deleting it could not be taken back",
          hint: "remove it with `rm`, if you are sure")
      }
      _ = try await self.keep(found)
      let act = try await self.begin(.delete, self.subject(of: paths), paths)
      var gone: Set<EntryPath> = []
      do {
        for path in paths {
          try await self.removeKept(path)
          gone.insert(path)
        }
      } catch {
        // Those before it are gone on purpose, and their folders may be, too.
        _ = try? await self.saveOwn([], deleted: gone)
        throw error
      }
      return try await self.saveOwn([], deleted: gone, as: act)
    }
  }

  private func removeKept(_ path: EntryPath) async throws {
    guard let file = try folder.read(path) else { return }
    guard try await isKept(file.bytes, at: path) else {
      throw DiaryError(
        "\(path.text) is not in the repository, so deleting it could not be taken back",
        hint: "is it ignored by git? Remove it with `rm`, if you are sure")
    }
    let aside = try folder.remove(path, expecting: file.bytes, asideDirectory: stateFolder)
    aside?.discard()
    folder.removeEmptyFolders(above: path)
  }

  /// Whether these very bytes are the path's last version, on the saves ref or on the branch.
  private func isKept(_ bytes: [UInt8], at path: EntryPath) async throws -> Bool {
    if isBlankText(bytes, path) { return true }
    return try await repository.savedContent(path) == bytes
  }

  private func isBlankText(_ bytes: [UInt8], _ path: EntryPath) -> Bool {
    blankEntries[path.text].map { Array($0.utf8) == bytes } ?? false
  }
}
