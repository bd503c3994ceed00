import ArgumentParser
import DiaryKit
import Localization

struct MergeFileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "merge-file",
    abstract: localized(
      "Merge three versions of an entry into the second file (git's merge driver)."),
    discussion: localized(
      """
      `diary init` and `diary clone` register it as the merge driver of the journal's entries. It \
      writes no conflict markers; if it cannot read a file, it exits with code 1 and git merges \
      it.
      """),
    shouldDisplay: false)

  @Argument(help: ArgumentHelp(localized("The common ancestor (%O)."), valueName: "base"))
  var base: String
  @Argument(
    help: ArgumentHelp(localized("This side (%A); the result goes here."), valueName: "ours"))
  var ours: String
  @Argument(help: ArgumentHelp(localized("The other side (%B)."), valueName: "theirs"))
  var theirs: String
  @Argument(
    help: ArgumentHelp(localized("The entry's path (%P), for messages."), valueName: "path"))
  var path: String?
  @OptionGroup var common: CommonOptions

  func run() async throws {
    try MergeDriver.mergeFile(
      base: base, ours: ours, theirs: theirs, named: path ?? ours, RuntimeEnvironment.current())
  }
}
