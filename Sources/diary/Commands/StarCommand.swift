import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct StarCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "star", abstract: localized("Star entries; `diary list --starred` finds them."))

  @OptionGroup var selection: EntrySelection
  @OptionGroup var common: CommonOptions

  func run() async throws { try await selection.setStar(true, common) }
}

struct UnstarCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "unstar", abstract: localized("Remove stars from entries."))

  @OptionGroup var selection: EntrySelection
  @OptionGroup var common: CommonOptions

  func run() async throws { try await selection.setStar(false, common) }
}

extension EntrySelection {
  fileprivate func setStar(_ isStarred: Bool, _ common: CommonOptions) async throws {
    let journal = try common.open(writing: true)
    let paths = try await entries(in: journal, common).entries.map(\.path)
    let (changed, save) = try await journal.entries.star(paths, isStarred)
    SaveReport.print(save, common)
    for path in changed {
      Console.print(
        isStarred
          ? localized("Starred \(Console.escapedOnTerminal(path.text))")
          : localized("Removed the star from \(Console.escapedOnTerminal(path.text))"))
    }
    if changed.isEmpty {
      common.printNotice(
        isStarred ? localized("Already starred.") : localized("No star to remove."))
    }
  }
}
