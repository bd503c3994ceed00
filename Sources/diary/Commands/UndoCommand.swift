import ArgumentParser
import DiaryCore
import DiaryKit

struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "undo", abstract: "Take back the last act of Diary's that can be undone.",
    discussion: """
      That is a new, add, rename, delete, import, restore or weather fill; and an undo, so that a \
      second undo does it again. What you wrote since is not touched.
      """)

  @Flag(help: "Do not ask.")
  var yes = false
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    let plan = try await journal.planUndo()
    common.remark(sentence(plan.operation))
    if let newest = plan.later.first {
      let more = plan.later.count > 1 ? " and \(plan.later.count - 1) more" : ""
      common.remark("  after it came, and stays: \(Console.named(newest))\(more)")
    }
    let most = 20
    for step in plan.steps.prefix(most) { common.remark("  " + words(step)) }
    if plan.steps.count > most { common.remark("  and \(plan.steps.count - most) more") }
    for left in plan.left {
      common.remark("  left: \(Console.named(left.path.text)) \(Console.named(left.reason))")
    }
    guard !plan.steps.isEmpty else {
      throw DiaryError(
        "nothing of it can be taken back",
        details: plan.left.prefix(most).map { left in
          "\(left.path.text) \(left.reason)"
        }, hint: "`diary history REF` has every version")
    }
    if !yes {
      guard Console.canAsk else {
        throw DiaryError("nobody can be asked whether to undo this", hint: "add --yes")
      }
      guard Console.agrees("Undo it?", preset: !plan.removesFiles) else {
        common.remark("Nothing was changed.")
        return
      }
    }
    let outcome = try await journal.undo(plan)
    SaveReport.tell(outcome, common)
    Console.say("Undone; `diary undo` again takes this back.")
  }

  private func sentence(_ operation: Operation) -> String {
    let verb =
      if let undone = operation.undone { "undo of \(undone.rawValue)" } else {
        operation.verb.rawValue
      }
    let when = ReaderLocale().text(of: operation.at)
    return "The last act that can be undone, \(when): \(verb) \(Console.named(operation.subject))"
  }

  private func words(_ step: UndoPlan.Step) -> String {
    let path = Console.named(step.path.text)
    return switch step {
    case .remove: "remove \(path)"
    case .bringBack: "bring back \(path)"
    case .putBack: "put back \(path) as it was"
    }
  }
}
