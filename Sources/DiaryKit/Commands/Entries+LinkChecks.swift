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
  /// those that git ignores.
  package func unusedFiles() async throws -> [CheckedFile] {
    let walk = journal.folder.scan(EntryMatcher(settings: Settings()), includesOthers: true)
    let media = LinkedFileLookup(journal)
    let used = concurrentMap(walk.entries) { file in
      journal.changes.referencedFiles(
        in: (try? journal.folder.read(file.path)) ?? nil, of: file.path, media
      ).found
    }
    let unused = walk.otherFiles.map(\.path).filter(FileName.isMedia).filter {
      [used = Set(used.joined())] in !used.contains($0)
    }
    let ignored = try await journal.repository.ignoredPaths(among: unused)
    let lint = Diagnostic(
      code: "unused-file", line: nil, message: localized("no entry shows this file"))
    return unused.filter { !ignored.contains($0) }.map { CheckedFile(path: $0, lints: [lint]) }
  }
}
