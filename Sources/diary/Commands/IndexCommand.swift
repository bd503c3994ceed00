import ArgumentParser
import DiaryKit
import Localization

struct IndexCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "index", abstract: localized("Check or rebuild the search index."))

  @Flag(help: ArgumentHelp(localized("Delete the index and build it again.")))
  var rebuild = false
  @Flag(help: ArgumentHelp(localized("Compare the index with the files.")))
  var verify = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open()
    if rebuild {
      let count = try await journal.catalog.rebuildIndex()
      common.printNotice(localized("Index rebuilt: \(counted(count, "entry", "entries"))."))
    }
    if verify {
      let differences = try await journal.catalog.verifyIndex()
      guard differences.isEmpty else {
        throw DiaryError(
          localized(
            "the index differs from the files in \(counted(differences.count, "place", "places"))"),
          details: Array(differences.prefix(20)),
          hint: localized("`diary index --rebuild` fixes it"))
      }
      common.printNotice(localized("The index matches the files."))
    }
    if !rebuild, !verify {
      let entries = try await journal.catalog.list()
      Console.print(counted(entries.count, "entry", "entries"))
    }
  }
}
