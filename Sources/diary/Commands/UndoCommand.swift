import ArgumentParser
import DiaryCore
import DiaryKit
import Localization

struct UndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "undo",
    abstract: localized("Undo the last operation of Diary; again: the one before."),
    discussion: localized(
      """
      An operation is a new, add, rename, star, unstar, delete, import, restore or weather fill, \
      or the merge of a conflict copy; at most 100 are kept. `diary redo` comes forward again. If \
      a file was changed since the operation, Diary names it and changes nothing.
      """))

  @Flag(help: ArgumentHelp(localized("List the operations, and which of them can be undone.")))
  var list = false
  @Flag(help: ArgumentHelp(localized("With --list: print a JSON array.")))
  var json = false
  @OptionGroup var reversal: ReversalOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if json && !list { throw ValidationError(localized("--json needs --list")) }
  }

  func run() async throws {
    if list { return try await printList() }
    let journal = try common.open(writing: true)
    let plan = try await journal.history.planUndo(keepingChanged: reversal.keepChanged)
    try await reversal.run(plan, journal, common)
  }

  private func printList() async throws {
    let operations = try await common.open().history.listOperations()
    if json {
      return Console.print(json: try EntryJSON.encoded(operations.map { OperationJSON($0) }))
    }
    var isBlocked = false
    for listed in operations {
      let when = UserLocale().text(of: listed.operation.at)
      var line = "\(when)  \(Console.escaped(listed.operation.text))"
      if let obstacle = listed.obstacles.first {
        let reason = "\(Console.escaped(obstacle.path.text)) \(Console.escaped(obstacle.reason))"
        line +=
          listed.operation.isUndone
          ? localized("; undone, cannot be redone: \(reason)")
          : localized("; cannot be undone: \(reason)")
      } else if listed.operation.isUndone {
        line += localized("; undone")
      } else if isBlocked {
        line += localized("; only after the one above")
      }
      if !listed.operation.isUndone, !listed.obstacles.isEmpty { isBlocked = true }
      Console.print(line)
    }
  }
}

struct RedoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "redo", abstract: localized("Redo what `diary undo` undid last."),
    discussion: localized("A new operation of Diary ends this: what was undone before it stays so.")
  )

  @OptionGroup var reversal: ReversalOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let journal = try common.open(writing: true)
    let plan = try await journal.history.planRedo(keepingChanged: reversal.keepChanged)
    try await reversal.run(plan, journal, common)
  }
}

/// The options of `undo` and `redo`.
struct ReversalOptions: ParsableArguments {
  @Flag(help: ArgumentHelp(localized("Do not ask.")))
  var yes = false
  @Flag(
    help: ArgumentHelp(localized("Leave out files that were changed since then, and do the rest.")))
  var keepChanged = false

  /// Shows the plan, asks, carries it out and says so.
  func run(_ plan: UndoPlan, _ journal: Journal, _ common: CommonOptions) async throws {
    let isRedo = plan.operation.isUndone
    let when = UserLocale().text(of: plan.operation.at)
    let text = Console.escaped(plan.operation.text)
    common.printNotice(
      isRedo ? localized("To redo, of \(when): \(text)") : localized("To undo, of \(when): \(text)")
    )
    try plan.requirePossible()
    let maxListed = 20
    for step in plan.steps.prefix(maxListed) { common.printNotice("  " + description(of: step)) }
    if plan.steps.count > maxListed {
      common.printNotice(localized("  and \(grouped(plan.steps.count - maxListed)) more"))
    }
    for skipped in plan.skipped.prefix(maxListed) {
      common.printNotice(
        localized(
          "  left out: \(Console.escaped(skipped.path.text)) \(Console.escaped(skipped.reason))"))
    }
    if plan.skipped.count > maxListed {
      common.printNotice(localized("  and \(grouped(plan.skipped.count - maxListed)) more"))
    }
    if !yes, !plan.steps.isEmpty {
      try Console.requirePrompt(
        hint: isRedo ? localized("use --yes to redo it") : localized("use --yes to undo it"))
      let question = isRedo ? localized("Redo it?") : localized("Undo it?")
      guard Console.confirm(question, preset: !plan.removesFiles) else {
        return common.printNotice(localized("Nothing was changed."))
      }
    }
    SaveReport.print(try await journal.history.undo(plan), common)
    let devices = plan.isPushed ? localized("your other devices get this, too; ") : ""
    Console.print(
      Console.namingJournal(
        isRedo
          ? localized("Redone: \(text); \(devices)to undo it: diary undo")
          : localized("Undone: \(text); \(devices)to redo it: diary redo")))
  }

  private func description(of step: UndoPlan.Step) -> String {
    let path = Console.escaped(step.path.text)
    return switch step {
    case .remove: localized("remove \(path)")
    case .restore: localized("bring back \(path)")
    case .revert: localized("change \(path) back")
    }
  }
}

/// An operation in `undo --list --json`.
struct OperationJSON: Encodable {
  let at: String
  let command: String
  let subject: String
  let undone: Bool
  let possible: Bool
  let changed: [String]

  init(_ listed: ListedOperation) {
    at = EntryDate(instant: listed.operation.at, offset: 0)?.description ?? ""
    command = listed.operation.command.rawValue
    subject = listed.operation.subject
    undone = listed.operation.isUndone
    possible = listed.isPossible
    changed = listed.obstacles.map(\.path.text)
  }
}
