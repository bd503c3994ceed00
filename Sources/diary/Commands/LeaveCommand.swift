import ArgumentParser
import DiaryKit

struct LeaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "leave", abstract: "Remove Diary from a journal; entries and git stay.")

  @Flag(help: "Do not ask.")
  var yes = false
  @Flag(help: "Keep the autosaves between commits, on refs/diary/saves.")
  var keepSaves = false
  @Flag(help: "Delete the autosaves, even versions that no commit has.")
  var dropSaves = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if keepSaves, dropSaves {
      throw ValidationError("choose one of --keep-saves and --drop-saves")
    }
  }

  func run() async throws {
    let journal = try common.open(writing: true)
    if !yes {
      guard Console.canAsk else {
        throw DiaryError(
          "cannot ask for confirmation: not a terminal",
          hint: "use --yes to remove Diary from \(journal.root)")
      }
      common.remark(
        paragraph: "This removes .diary, the list of entries, .git/diary"
          + (keepSaves ? "." : " and the autosaves between commits.")
          + (dropSaves ? " Versions that exist only as autosaves are lost." : "")
          + " Your entries and commits stay.")
      guard Console.agrees("Continue?", preset: false) else {
        common.remark("Nothing was changed.")
        return
      }
    }
    let outcome = try await journal.leave(
      keepSaves ? .keep : dropSaves ? .drop : .dropIfHeldElsewhere)
    SaveReport.tell(outcome, common)
    Console.say("\(Console.shown(journal.root)) is a plain git repository again.")
  }
}
