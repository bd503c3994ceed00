import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "undo", abstract: localized("Undo the last operation of Diary."),
    discussion: localized(
      """
      This can be a new, add, rename, star, unstar, delete, import, restore, weather fill or undo; a \
      second undo repeats the operation. What you wrote since then stays.
      """))

  @Flag(help: ArgumentHelp(localized("Do not ask.")))
  var yes = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    let plan = try await journal.planUndo()
    common.remark(sentence(plan.operation))
    if let newest = plan.later.first {
      let more = plan.later.count > 1 ? localized(" and \(plan.later.count - 1) more") : ""
      common.remark(localized("  later changes stay: \(Console.named(newest))\(more)"))
    }
    let most = 20
    for step in plan.steps.prefix(most) { common.remark("  " + words(step)) }
    if plan.steps.count > most { common.remark(localized("  and \(plan.steps.count - most) more")) }
    for left in plan.left {
      common.remark(
        localized("  not undone: \(Console.named(left.path.text)) \(Console.named(left.reason))"))
    }
    guard !plan.steps.isEmpty else {
      throw DiaryError(
        localized("nothing to undo"),
        details: plan.left.prefix(most).map { left in
          "\(left.path.text) \(left.reason)"
        }, hint: localized("`diary history REF` lists every version"))
    }
    if !yes {
      guard Console.canAsk else {
        throw DiaryError(
          localized("cannot ask for confirmation: not a terminal"),
          hint: localized("use --yes to undo it"))
      }
      guard Console.agrees(localized("Undo it?"), preset: !plan.removesFiles) else {
        common.remark(localized("Nothing was changed."))
        return
      }
    }
    let outcome = try await journal.undo(plan)
    SaveReport.tell(outcome, common)
    Console.say(localized("Undone. To redo it: diary undo"))
  }

  private func sentence(_ operation: JournalOperation) -> String {
    let command =
      if let undone = operation.undone { localized("undo of \(undone.rawValue)") } else {
        operation.command.rawValue
      }
    let when = ReaderLocale().text(of: operation.at)
    return localized("The last operation, \(when): \(command) \(Console.named(operation.subject))")
  }

  private func words(_ step: UndoPlan.Step) -> String {
    let path = Console.named(step.path.text)
    return switch step {
    case .remove: localized("remove \(path)")
    case .bringBack: localized("bring back \(path)")
    case .putBack: localized("change \(path) back")
    }
  }
}
