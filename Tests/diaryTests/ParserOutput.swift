import ArgumentParser
import DiaryKit

@testable import diary

/// The message and exit code for arguments that are handled before the command runs; `nil` if the
/// command would run.
struct ParserOutput {
  let status: Int
  let text: String

  init?(_ arguments: [String]) {
    do {
      var command = try DiaryCommand.parseAsRoot(
        try ArgumentPreprocessor.parserArguments(for: arguments))
      // A command of ArgumentParser, which throws the help.
      if !(command is any AsyncParsableCommand) { try command.run() }
      return nil
    } catch let error as DiaryError {
      status = error.kind == .usage ? 64 : 1
      text = Console.text(of: error, isStyled: false)
    } catch {
      let message = DiaryCommand.fullMessage(for: error)
      status = Int(DiaryCommand.exitCode(for: error).rawValue)
      text = status == 0 ? message : Console.text(of: Console.usageError(message), isStyled: false)
    }
  }
}
