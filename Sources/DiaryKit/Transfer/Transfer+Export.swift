import DiaryCore
import EntryFormats
import Foundation
import Glibc
import Localization
import ZipFiles

/// The result of an export.
package struct ExportOutcome: Sendable {
  /// The number of exported entries.
  package var entries = 0
  /// The number of exported attachments.
  package var attachments = 0
  /// The reasons for skipped entries and files, one sentence each.
  package var notices: [String] = []
}

/// The destination of an export.
package enum ExportTarget: Sendable {
  /// The path of a file or folder. An existing file is replaced only if `replacing`.
  case path(String, replacing: Bool)
  /// A closure that receives the bytes in order, for standard output.
  case output(@Sendable ([UInt8]) throws -> Void)
}

/// The options of an export.
package struct ExportOptions: Sendable {
  /// The user's language and date formats.
  package var locale: UserLocale
  /// True if the files that entries show are included.
  package var shouldIncludeAttachments: Bool
  /// The title of a site or book.
  package var title: String

  package init(locale: UserLocale, shouldIncludeAttachments: Bool = true, title: String? = nil) {
    self.locale = locale
    self.shouldIncludeAttachments = shouldIncludeAttachments
    self.title = title ?? localized("Diary")
  }
}

extension Transfer {
  /// Writes entries in a format for other programs or people, oldest first. The output is complete
  /// or absent, also if the task is cancelled. The same entries produce the same bytes,
  /// except in a PDF, into which its printer writes the time.
  package func export(
    _ entries: [EntrySummary], as format: ExportFormat, to target: ExportTarget,
    _ options: ExportOptions, progress: @escaping @Sendable (_ done: Int, _ of: Int) -> Void
  ) async throws -> ExportOutcome {
    // Entry numbers count from the newest.
    let ordered = entries.sorted { $0.number > $1.number }.orderedByPathWithinSameTime
    let source = ExportSource(
      journal, options.locale,
      shouldIncludeAttachments: options.shouldIncludeAttachments && format.canHaveAttachments)
    var outcome = ExportOutcome()
    switch target {
    case .output(let receive):
      let writer = DocumentWriter(source: source, progress: progress, output: receive)
      outcome.entries = try writer.write(ordered, as: format)
    case .path(let name, let replacing):
      let destination = try await exportDestination(
        name, isFolder: format.isFolder, replacing: replacing)
      if format.isFolder {
        let folder = FolderWriter(
          source: source, root: destination.draft, displayPath: name, progress: progress)
        outcome.entries =
          format == .site
          ? try SiteWriter(folder: folder, title: options.title).write(ordered)
          : try folder.write(ordered)
      } else if format == .pdf {
        outcome.entries = try await writePDF(
          ordered, source, at: destination, options, progress)
      } else if format.isArchive {
        outcome.entries = try await writeArchive(
          ordered, as: format, source, at: destination, options, progress)
      } else {
        let file = try ExportFile(at: destination.draft, displayPath: name)
        let writer = DocumentWriter(source: source, progress: progress) { try file.write($0) }
        outcome.entries = try writer.write(ordered, as: format)
        try file.close()
      }
      try Task.checkCancellation()
      try destination.finish()
    }
    outcome.attachments = source.attachments.count
    outcome.notices = source.notices
    return outcome
  }

  /// Writes a zip. Parts that are not files of the journal are first written to the state folder.
  private func writeArchive(
    _ entries: [EntrySummary], as format: ExportFormat, _ source: ExportSource,
    at destination: ExportDestination, _ options: ExportOptions,
    _ progress: @escaping @Sendable (Int, Int) -> Void
  ) async throws -> Int {
    try journal.makeStateFolder()
    removeStaleTemporaryFiles()
    let temporaryPath = journal.stateFolder + "/export.\(getpid()).part"
    defer { unlink(temporaryPath) }
    do {
      let zip = try ZipWriter(path: destination.draft)
      let writer = ArchiveWriter(
        source: source, zip: zip, options: options, progress: progress)
      let count: Int
      switch format {
      case .dayone: count = try writer.writeDayOne(entries, temporaryPath: temporaryPath)
      case .backup:
        let hasHistory = try await writeBundle(to: temporaryPath)
        count = try await BackupWriter(source: source, zip: zip, progress: progress)
          .write(entries, bundle: hasHistory ? temporaryPath : nil)
      default: count = try writer.writeBook(entries)
      }
      try zip.finish { Task.isCancelled }
      return count
    } catch let error as ZipError {
      throw DiaryError(localized("cannot write \(destination.displayPath): \(error)"))
    }
  }

  /// Removes temporary files of exports and imports that were killed from the state folder.
  func removeStaleTemporaryFiles() {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: journal.stateFolder)) ?? []
    for name in names {
      let parts = name.split(separator: ".")
      guard parts.count == 3, ["export", "import"].contains(parts[0]), parts[2] == "part" else {
        continue
      }
      let isRunning = pid_t(parts[1]).map { kill($0, 0) == 0 } ?? true
      if !isRunning {
        try? FileManager.default.removeItem(atPath: journal.stateFolder + "/" + name)
      }
    }
  }
}

extension [EntrySummary] {
  /// Entries of the same time in the order in which their files were named, `walk` before `walk-2`.
  /// An import distinguishes entries of one time and title by their order.
  fileprivate var orderedByPathWithinSameTime: [EntrySummary] {
    var all = self
    var start = 0
    while start < all.count {
      var end = start + 1
      while end < all.count, all[end].date != nil, all[end].date == all[start].date { end += 1 }
      if end > start + 1 {
        all[start..<end].sort { one, other in
          let (one, other) = (one.path.bytes, other.path.bytes)
          return one.count != other.count
            ? one.count < other.count : one.lexicographicallyPrecedes(other)
        }
      }
      start = end
    }
    return all
  }
}
