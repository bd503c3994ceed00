import DiaryKit
import Localization

/// What `init` found in a folder that is to become a journal, in words.
enum SurveyReport {
  static func tell(_ survey: InitSurvey, _ common: CommonOptions) {
    if let repository = survey.repository {
      common.remark(
        localized(
          "\(Console.named(survey.root)) is in the repository \(Console.named(repository))."))
    }
    if let program = survey.learntFrom {
      common.remark(localized("This looks like a folder of \(program)."))
    }
    for count in survey.folders.prefix(20) {
      common.remark(
        localized(
          "  \(name(count)): \(counted(count.files, "entry", "entries")), "
            + "\(count.dated) with a date"))
    }
    if survey.folders.count > 20 {
      common.remark(localized("  and \(survey.folders.count - 20) more folders"))
    }
    if survey.include != ["**"] {
      common.remark(
        localized("Only these will be entries: \(survey.include.joined(separator: ", "))"))
    }
    if !survey.exclude.isEmpty {
      common.remark(localized("Excluded: \(survey.exclude.joined(separator: ", "))"))
    }
    tellLeftOut(survey, common)
    tellNotes(survey, common)
  }

  private static func tellLeftOut(_ survey: InitSurvey, _ common: CommonOptions) {
    let files = survey.skipped.map(\.files).reduce(0, +)
    if files > 0 {
      common.remark(
        counted(
          files, "Markdown file will not be an entry:", "Markdown files will not be entries:")
      )
      list(survey.skipped, common)
      let folder = survey.skipped.lazy.compactMap(\.folder).first
      let wanted = (survey.include + [folder.map { $0 + "/**" } ?? "/*.md"]).map { "\"\($0)\"" }
      common.remark(
        localized(
          "hint: `entries:` in .diary/config.yml selects the entries, such as "
            + "`include: [\(Console.named(wanted.joined(separator: ", ")))]`"))
    }
    let texts = survey.textFiles.map(\.files).reduce(0, +)
    guard texts > 0 else { return }
    common.remark(
      counted(texts, "text file will not be an entry:", "text files will not be entries:"))
    list(survey.textFiles, common)
    common.remark(localized("hint: an entry is a Markdown file; rename .txt to .md to make it one"))
  }

  private static func tellNotes(_ survey: InitSurvey, _ common: CommonOptions) {
    if let note = survey.dailyNote {
      common.remark(localized("New daily notes will be: \(Console.named(note))"))
    }
    if let pattern = survey.strangeNote {
      common.remark(
        localized(
          "\(survey.learntFrom ?? "It") names its daily notes \(Console.named(pattern)), which Diary "
            + "does not support; set `daily_note:` in .diary/config.yml for new notes."))
    }
  }

  private static func list(_ counts: [InitSurvey.FolderCount], _ common: CommonOptions) {
    for count in counts.prefix(10) {
      common.remark("  \(name(count)): \(counted(count.files, "file", "files"))")
    }
    if counts.count > 10 { common.remark(localized("  and \(counts.count - 10) more folders")) }
  }

  private static func name(_ count: InitSurvey.FolderCount) -> String {
    Console.named(count.folder.map { $0 + "/" } ?? "./")
  }
}
