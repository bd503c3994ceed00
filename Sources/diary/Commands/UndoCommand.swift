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
    let plan = try await journal.history.planUndo()
    common.printNotice(summary(of: plan.operation))
    if let newest = plan.laterCommits.first {
      let more =
        plan.laterCommits.count > 1 ? localized(" and \(plan.laterCommits.count - 1) more") : ""
      common.printNotice(localized("  later changes stay: \(Console.escaped(newest))\(more)"))
    }
    let maxListed = 20
    for step in plan.steps.prefix(maxListed) { common.printNotice("  " + text(of: step)) }
    if plan.steps.count > maxListed {
      common.printNotice(localized("  and \(plan.steps.count - maxListed) more"))
    }
    guard !plan.steps.isEmpty else {
      throw DiaryError(
        localized("nothing to undo"),
        details: plan.skipped.prefix(maxListed).map { "\($0.path.text) \($0.reason)" },
        hint: localized("`diary history REF` lists every version"))
    }
    for skipped in plan.skipped {
      common.printNotice(
        localized(
          "  not undone: \(Console.escaped(skipped.path.text)) \(Console.escaped(skipped.reason))"))
    }
    if !yes {
      try Console.requirePrompt(hint: localized("use --yes to undo it"))
      guard Console.confirm(localized("Undo it?"), preset: !plan.removesFiles) else {
        common.printNotice(localized("Nothing was changed."))
        return
      }
    }
    let outcome = try await journal.history.undo(plan)
    SaveReport.print(outcome, common)
    Console.print(localized("Undone. To redo it: diary undo"))
  }

  private func summary(of operation: JournalOperation) -> String {
    let command =
      if let undone = operation.undone { localized("undo of \(undone.rawValue)") } else {
        operation.command.rawValue
      }
    let when = UserLocale().text(of: operation.at)
    return localized(
      "The last operation, \(when): \(command) \(Console.escaped(operation.subject))")
  }

  private func text(of step: UndoPlan.Step) -> String {
    let path = Console.escaped(step.path.text)
    return switch step {
    case .remove: localized("remove \(path)")
    case .restore: localized("bring back \(path)")
    case .revert: localized("change \(path) back")
    }
  }
}
