import DiaryCore
import EntryFiles
import EntryIndex
import Foundation
import GitHistory
import Localization

extension Catalog {
  /// The entries that git ignores, from the index. They are not saved until a command of Diary
  /// writes them.
  package func ignoredEntries() async throws -> [SkippedFile] {
    await ignoreReasons(for: try journal.indexDatabase.ignoredPaths())
  }

  /// The entries and the journal's shared settings that git ignores.
  package func ignoredFiles() async throws -> [SkippedFile] {
    let settings = journal.folder.scan(EntryMatcher(settings: journal.settings)).settingsFiles.map(
      \.path)
    let ignored = try await journal.repository.ignoredPaths(among: settings.filter(isShared))
    return await ignoreReasons(for: try journal.indexDatabase.ignoredPaths() + ignored.sorted())
  }

  private func isShared(_ path: EntryPath) -> Bool {
    PathClassifier(journal).kind(of: path) == .settings
  }

  /// The paths, each with the ignore file and the line that match it.
  func ignoreReasons(for paths: [EntryPath]) async -> [SkippedFile] {
    // A pattern may match a whole tree; nobody reads hundreds of reasons.
    let rules = await ignoreRules(of: paths.prefix(50).filter(\.isText))
    return paths.map { path in
      SkippedFile(
        path: path, reason: localized("is ignored by git") + (rules[path].map { " (\($0))" } ?? ""))
    }
  }

  /// The rules as the user's git reports them; empty if there is no git.
  private func ignoreRules(of paths: [EntryPath]) async -> [EntryPath: String] {
    guard !paths.isEmpty else { return [:] }
    let asked = paths.map { journal.gitLocation.repositoryPath($0).text }
    let arguments = ["check-ignore", "--verbose", "--non-matching", "--no-index", "--"] + asked
    guard let answer = try? await journal.git.run(arguments), answer.status == 0 else {
      return [:]
    }
    // One line for each path, in their order: `SOURCE:LINE:PATTERN`, a tab, and the path.
    let lines = String(decoding: answer.output, as: UTF8.self).split(separator: "\n")
    var rules: [EntryPath: String] = [:]
    for (path, line) in zip(paths, lines) {
      let rule = line.prefix { $0 != "\t" }
      guard let number = rule.firstRange(of: /:[0-9]+:/) else { continue }
      rules[path] =
        localized(
          "\(rule[..<number.lowerBound]), line \(rule[number].dropFirst().dropLast()): "
            + "`\(rule[number.upperBound...])`")
    }
    return rules
  }
}
