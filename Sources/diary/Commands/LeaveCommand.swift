import ArgumentParser
import DiaryKit

struct LeaveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "leave", abstract: "Take away all that Diary added; a plain git repository stays.")

  @Flag(help: "Do not ask.")
  var yes = false
  @Flag(help: "Keep the single saves of each sitting, on refs/diary/saves.")
  var keepSaves = false
  @Flag(help: "Give up the versions that only the single saves hold.")
  var dropSaves = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if keepSaves, dropSaves {
      throw ValidationError("--keep-saves and --drop-saves exclude each other")
    }
  }

  func run() async throws {
    let journal = try common.open(writing: true)
    if !yes {
      guard Console.canAsk else {
        throw DiaryError(
          "nobody can be asked whether Diary shall leave \(journal.root)",
          hint: "add --yes to leave it")
      }
      common.remark(
        paragraph: "Entries and commits stay. Gone will be: .diary, the list Diary made, .git/diary"
          + (keepSaves ? "." : ", and the single saves between commits.")
          + (dropSaves ? " The versions that only these hold are lost." : ""))
      guard Console.agrees("Leave?", preset: false) else {
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
