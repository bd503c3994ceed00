import DiaryKit

/// What `init` found in a folder that is to become a journal, in words.
enum SurveyReport {
  static func tell(_ survey: Survey, _ common: CommonOptions) {
    if let repository = survey.repository {
      common.remark(
        "\(Console.named(survey.root)) is kept in the repository \(Console.named(repository)).")
    }
    if let program = survey.learntFrom { common.remark("It looks like a folder of \(program).") }
    for count in survey.folders.prefix(20) {
      common.remark(
        "  \(name(count)): \(Console.counted(count.files, "entry", "entries")), "
          + "\(count.dated) with a date")
    }
    if survey.folders.count > 20 {
      common.remark("  and \(survey.folders.count - 20) more folders")
    }
    if survey.include != ["**"] {
      common.remark("Entries will be: \(survey.include.joined(separator: ", "))")
    }
    if !survey.exclude.isEmpty {
      common.remark("Left out: \(survey.exclude.joined(separator: ", "))")
    }
    tellLeftOut(survey, common)
    tellNotes(survey, common)
  }

  private static func tellLeftOut(_ survey: Survey, _ common: CommonOptions) {
    let files = survey.leftOut.map(\.files).reduce(0, +)
    if files > 0 {
      common.remark(
        Console.counted(
          files, "Markdown file will be no entry:", "Markdown files will be no entries:")
      )
      list(survey.leftOut, common)
      let folder = survey.leftOut.lazy.compactMap(\.folder).first
      let wanted = (survey.include + [folder.map { $0 + "/**" } ?? "/*.md"]).map { "\"\($0)\"" }
      common.remark(
        "hint: `entries:` in .diary/config.yml says what is taken, such as "
          + "`include: [\(Console.named(wanted.joined(separator: ", ")))]`")
    }
    let texts = survey.textFiles.map(\.files).reduce(0, +)
    guard texts > 0 else { return }
    common.remark(
      Console.counted(texts, "text file will be no entry:", "text files will be no entries:"))
    list(survey.textFiles, common)
    common.remark("hint: an entry is a Markdown file; rename .txt to .md to make it one")
  }

  private static func tellNotes(_ survey: Survey, _ common: CommonOptions) {
    if let note = survey.dailyNote {
      common.remark("A day's note without a title will be: \(Console.named(note))")
    }
    if let pattern = survey.strangeNote {
      common.remark(
        "\(survey.learntFrom ?? "It") names its daily notes \(Console.named(pattern)), which Diary "
          + "cannot follow; `daily_note:` in .diary/config.yml names those that Diary makes.")
    }
  }

  private static func list(_ counts: [Survey.FolderCount], _ common: CommonOptions) {
    for count in counts.prefix(10) {
      common.remark("  \(name(count)): \(Console.counted(count.files, "file", "files"))")
    }
    if counts.count > 10 { common.remark("  and \(counts.count - 10) more folders") }
  }

  private static func name(_ count: Survey.FolderCount) -> String {
    Console.named(count.folder.map { $0 + "/" } ?? "./")
  }
}
