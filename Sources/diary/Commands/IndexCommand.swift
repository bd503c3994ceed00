import ArgumentParser
import DiaryKit

struct IndexCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "index", abstract: "The index, which is only a cache of the files.")

  @Flag(help: "Throw it away and make it anew.")
  var rebuild = false
  @Flag(help: "Compare it with one made from nothing.")
  var verify = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open()
    if rebuild {
      let count = try await journal.rebuildIndex()
      common.remark("The index is new: \(Console.counted(count, "entry", "entries")).")
    }
    if verify {
      let differences = try await journal.verifyIndex()
      guard differences.isEmpty else {
        throw DiaryError(
          "the index differs from the files in "
            + Console.counted(differences.count, "place", "places"),
          details: Array(differences.prefix(20)), hint: "`diary index --rebuild` mends it")
      }
      common.remark("The index agrees with the files.")
    }
    if !rebuild, !verify {
      let entries = try await journal.list()
      Console.say(Console.counted(entries.count, "entry", "entries"))
    }
  }
}
