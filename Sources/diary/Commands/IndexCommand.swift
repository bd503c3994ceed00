import ArgumentParser
import DiaryKit

struct IndexCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "index", abstract: "Check or rebuild the search index.")

  @Flag(help: "Delete the index and build it again.")
  var rebuild = false
  @Flag(help: "Compare the index with the files.")
  var verify = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open()
    if rebuild {
      let count = try await journal.rebuildIndex()
      common.remark("Index rebuilt: \(Console.counted(count, "entry", "entries")).")
    }
    if verify {
      let differences = try await journal.verifyIndex()
      guard differences.isEmpty else {
        throw DiaryError(
          "the index differs from the files in "
            + Console.counted(differences.count, "place", "places"),
          details: Array(differences.prefix(20)), hint: "`diary index --rebuild` fixes it")
      }
      common.remark("The index matches the files.")
    }
    if !rebuild, !verify {
      let entries = try await journal.list()
      Console.say(Console.counted(entries.count, "entry", "entries"))
    }
  }
}
