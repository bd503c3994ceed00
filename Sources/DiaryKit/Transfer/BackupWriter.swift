import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Localization
import ZipFiles

/// Writes a backup: every file of the journal as it is, with its settings, and the history as a git
/// bundle. It can be restored without Diary (docs/export.md).
struct BackupWriter {
  let source: ExportSource
  let zip: ZipWriter
  let progress: (_ done: Int, _ of: Int) -> Void
  private var journal: Journal { source.journal }

  init(source: ExportSource, zip: ZipWriter, progress: @escaping (Int, Int) -> Void) {
    self.source = source
    self.zip = zip
    self.progress = progress
  }

  /// Writes the backup and returns its number of entries.
  ///
  /// - Parameters:
  ///   - entries: the listed entries, for their dates.
  ///   - bundle: the path of the history's bundle; `nil` if there is no history.
  func write(_ entries: [EntrySummary], bundle: String?) async throws -> Int {
    let dates = Dictionary(entries.map { ($0.path, $0) }) { first, _ in first }
    let names = try await journal.transfer.gitFiles()
    var count = 0
    for (index, name) in names.enumerated() {
      try Task.checkCancellation()
      progress(index + 1, names.count)
      // The path of another repository ends with a slash.
      guard let path = EntryPath(bytes: name) else {
        source.addNotice(
          localized(
            "\(String(decoding: name, as: UTF8.self)) was skipped: it is another repository"))
        continue
      }
      do {
        guard let file = try journal.folder.openFile(path) else { continue }
        try zip.add(
          Array("journal/".utf8) + path.bytes, size: file.size, time: zipTime(of: dates[path]),
          isPacked: !FileName.isMedia(path), opening: journal.transfer.opener(path))
        if dates[path] != nil { count += 1 }
      } catch let error as FileError {
        source.addNotice(localized("\(path.text) was skipped: \(error.reason)"))
      }
    }
    if let bundle { try zip.add("history.bundle", file: bundle, time: zipTime(of: nil)) }
    return count
  }
}

extension Transfer {
  /// Returns the files that git tracks or would add, in byte order. Some of them may be missing.
  fileprivate func gitFiles() async throws -> [[UInt8]] {
    // The journal may be a folder of the repository.
    let folder = journal.gitLocation.prefix.map { ":(literal)" + $0.text } ?? "."
    let arguments =
      ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"]
      + ["--", folder]
    let result = try await journal.git(timeout: 600).runLocally(arguments)
    guard let result, result.status == 0 else {
      throw DiaryError(
        localized("git cannot list the files of the journal"),
        details: result.map { [$0.errors] } ?? [])
    }
    let length = journal.gitLocation.prefix.map { $0.bytes.count + 1 } ?? 0
    return result.output.split(separator: 0).map { Array($0.dropFirst(length)) }
      .sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// Writes the whole history with the saves as a bundle. Returns false if there is no history.
  func writeBundle(to path: String) async throws -> Bool {
    // A history of many years takes longer than a sync may take.
    let git = journal.git(timeout: 3600)
    let refs = try await git.runLocally(["for-each-ref", "--count=1"])
    guard let refs, refs.status == 0, !refs.output.isEmpty else { return false }
    // With several threads, the same history would be packed differently each time.
    // The refs and the copy of a sealed remote are left out: they can be fetched again.
    let arguments = [
      "-c", "pack.threads=1", "bundle", "create", "--quiet", path, "--exclude=refs/diary/sealed/*",
      "--all",
    ]
    let result = try await git.runLocally(arguments)
    try Task.checkCancellation()
    guard let result, result.status == 0 else {
      throw DiaryError(
        localized("git cannot bundle the history"), details: result.map { [$0.errors] } ?? [],
        hint: localized(
          "without the history: `diary export --format folder DIR` writes the entries with the files "
            + "that they show; `git fsck` names the damaged objects"))
    }
    return true
  }
}
