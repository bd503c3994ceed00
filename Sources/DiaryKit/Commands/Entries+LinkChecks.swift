import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization

extension Entries {
  /// The links and pictures of an entry that lead to no file.
  func brokenLinks(
    in text: EntryText, at path: EntryPath, _ media: LinkedFileLookup
  ) -> [Diagnostic] {
    let links = fileLinks(in: text.bodyBytes, of: path)
    guard !links.isEmpty else { return [] }
    let bodyLine = text.wholeHeader.utf8.count { $0 == UInt8(ascii: "\n") } + 1
    return links.compactMap { link in
      guard media.files(of: link.reference).isEmpty else { return nil }
      return Diagnostic(
        code: "broken-link", line: bodyLine + link.line,
        message: link.reference.isShown
          ? localized("\(link.target) is shown here, but does not exist")
          : localized("\(link.target) is linked here, but does not exist"))
    }
  }

  /// The pictures, sounds, films and PDFs to which no Markdown file of the folder refers, without
  /// those that git ignores, and those whose names stand in a header or in a drawing or page.
  package func unusedFiles() async throws -> [CheckedFile] {
    let walk = journal.folder.scan(EntryMatcher(settings: Settings()), includesOthers: true)
    let media = LinkedFileLookup(journal)
    func file(_ path: EntryPath) -> FileContents? { (try? journal.folder.read(path)) ?? nil }
    let read = concurrentMap(walk.entries) {
      [changes = journal.changes, folder = journal.folder] found in
      let file = (try? folder.read(found.path)) ?? nil
      return (
        used: changes.referencedFiles(in: file, of: found.path, media).found,
        header: file.map { EntryText($0.bytes).wholeHeader } ?? ""
      )
    }
    let used = Set(read.flatMap(\.used))
    let pages = walk.otherFiles.map(\.path).filter {
      ["canvas", "html", "excalidraw"].contains($0.fileExtension)
    }
    let texts =
      read.map(\.header)
      + pages.compactMap { path in
        file(path).map { String(decoding: $0.bytes, as: UTF8.self) }
      }
    // For strstr(3): pages can have megabytes.
    let others = Array(texts.joined(separator: "\n").replacing("\0", with: " ").utf8CString)
    func isNamed(_ path: EntryPath) -> Bool {
      let name = path.name
      return [name, name.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? name]
        .contains { (text: String) in strstr(others, text) != nil }
    }
    let unused = walk.otherFiles.map(\.path).filter {
      FileName.isMedia($0) && !used.contains($0) && !isNamed($0)
    }
    let ignored = try await journal.repository.ignoredPaths(among: unused)
    let lint = Diagnostic(
      code: "unused-file", line: nil, message: localized("no entry shows this file"))
    return unused.filter { !ignored.contains($0) }.map { CheckedFile(path: $0, lints: [lint]) }
  }
}
