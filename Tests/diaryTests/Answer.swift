import ArgumentParser
import DiaryKit

@testable import diary

/// What the program says to words of the command line before it does anything, and the exit code;
/// nothing where it would begin.
struct Answer {
  let status: Int
  let text: String

  init?(_ words: [String]) {
    do {
      var command = try DiaryCommand.parseAsRoot(
        try ArgumentPreprocessor.parserArguments(for: words))
      // That is none of Diary's: it throws the help.
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
