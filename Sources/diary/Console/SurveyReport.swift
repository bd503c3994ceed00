import DiaryKit
import Localization

/// Prints what `init` found in a folder that is to become a journal.
enum SurveyReport {
  static func print(_ survey: InitSurvey, _ common: CommonOptions) {
    if let repository = survey.repository {
      common.printNotice(
        localized(
          "\(Console.escaped(survey.root)) is in the repository \(Console.escaped(repository))."))
    }
    if let program = survey.detectedProgram {
      common.printNotice(localized("This looks like a folder of \(program)."))
    }
    let folders = survey.mainFolders
    for count in folders.prefix(10) {
      common.printNotice(
        localized(
          "  \(name(count)): \(counted(count.files, "entry", "entries")), "
            + "\(count.dated) with a date"))
    }
    if folders.count > 10 {
      common.printNotice(localized("  and \(folders.count - 10) more folders"))
    }
    for (key, files) in survey.unreadDateKeys.prefix(3) {
      common.printNotice(
        localized(
          "  \(counted(files, "entry", "entries")) without a date: "
            + "\"\(Console.escaped(key))\" looks like one, but Diary does not read it"))
    }
    if survey.include != ["**"] {
      common.printNotice(
        localized("Only these will be entries: \(survey.include.joined(separator: ", "))"))
    }
    if !survey.exclude.isEmpty {
      common.printNotice(localized("Excluded: \(survey.exclude.joined(separator: ", "))"))
    }
    printSkipped(survey, common)
    printDailyNote(survey, common)
  }

  private static func printSkipped(_ survey: InitSurvey, _ common: CommonOptions) {
    let files = survey.skipped.map(\.files).reduce(0, +)
    if files > 0 {
      common.printNotice(
        counted(
          files, "Markdown file will not be an entry:", "Markdown files will not be entries:")
      )
      printCounts(survey.skipped, common)
      let folder = survey.skipped.lazy.compactMap(\.folder).first
      let patterns = (survey.include + [folder.map { $0 + "/**" } ?? "/*.md"]).map { "\"\($0)\"" }
      common.printNotice(
        localized(
          "hint: `entries:` in .diary/config.yml selects the entries, such as "
            + "`include: [\(Console.escaped(patterns.joined(separator: ", ")))]`"))
    }
    let others = survey.otherFormats.map(\.files).reduce(0, +)
    if others > 0 {
      common.printNotice(
        counted(
          others, "file in another format will not be an entry:",
          "files in other formats will not be entries:"))
      for (fileExtension, files) in survey.otherFormats {
        common.printNotice("  .\(fileExtension): \(counted(files, "file", "files"))")
      }
      common.printNotice(
        localized(
          "hint: an entry is a Markdown file; `diary import` reads Org files, and pandoc converts "
            + "the others"))
    }
    let texts = survey.textFiles.map(\.files).reduce(0, +)
    guard texts > 0 else { return }
    common.printNotice(
      counted(texts, "text file will not be an entry:", "text files will not be entries:"))
    printCounts(survey.textFiles, common)
    common.printNotice(
      localized("hint: an entry is a Markdown file; rename .txt to .md to make it one"))
  }

  private static func printDailyNote(_ survey: InitSurvey, _ common: CommonOptions) {
    if let note = survey.dailyNote {
      common.printNotice(localized("New daily notes will be: \(Console.escaped(note))"))
    }
    if let pattern = survey.unsupportedNotePattern {
      common.printNotice(
        localized(
          "\(survey.detectedProgram ?? "It") names its daily notes \(Console.escaped(pattern)), which Diary "
            + "does not support; set `daily_note:` in .diary/config.yml for new notes."))
    }
  }

  private static func printCounts(_ counts: [InitSurvey.FolderCount], _ common: CommonOptions) {
    for count in counts.prefix(10) {
      common.printNotice("  \(name(count)): \(counted(count.files, "file", "files"))")
    }
    if counts.count > 10 {
      common.printNotice(localized("  and \(counts.count - 10) more folders"))
    }
  }

  private static func name(_ count: InitSurvey.FolderCount) -> String {
    count.folder.map { Console.escaped($0 + "/") } ?? localized("this folder")
  }
}
