import Localization

/// Runs the user's git with fixed leading arguments and variables.
struct GitRunner {
  var arguments: [String] = []
  var environment: [String: String]

  func run(
    _ arguments: [String], input: [UInt8] = [], inputFile: Int32? = nil, outputFile: Int32? = nil
  ) throws(SealedError) -> ChildProcess {
    try ChildProcess.run(
      ["git"] + self.arguments + arguments, environment: environment, input: input,
      inputFile: inputFile, outputFile: outputFile)
  }

  /// The result of a command that must succeed.
  func require(
    _ arguments: [String], input: [UInt8] = [], inputFile: Int32? = nil, outputFile: Int32? = nil
  ) throws(SealedError) -> ChildProcess {
    let result = try run(arguments, input: input, inputFile: inputFile, outputFile: outputFile)
    guard result.status == 0 else {
      var error = SealedError(localized("git \(arguments.first ?? "") failed: \(result.reason)"))
      error.mayBeDamage = true
      throw error
    }
    return result
  }

  /// The output of a command that must succeed, as one line.
  func line(_ arguments: [String], input: [UInt8] = []) throws(SealedError) -> String {
    String(try require(arguments, input: input).lines.first ?? "")
  }
}
