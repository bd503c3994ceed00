// git-remote-diary: git starts it for a remote with the address `diary::URL` (docs/sealed.md).

import Foundation
import Glibc
import Localization
import SealedRemote

/// The entry point of the program.
package struct GitRemoteDiary {
  /// Runs the program with its arguments: the remote's name, and the address without `diary::`.
  package static func main(_ arguments: @Sendable () throws -> [String]) -> Never {
    var environment = ProcessInfo.processInfo.environment
    // What a host prints comes the same way, but no host knows this word.
    let mark = environment.removeValue(forKey: HelperMark.variable) ?? ""
    // Diary runs git in English, and shows these messages in the user's language.
    let language = environment["GIT_REMOTE_DIARY_LANGUAGE"]
    Translation.select(language.map { ["LANG": $0] } ?? environment)
    guard let words = try? arguments(), words.count == 2 else {
      printError(localized("usage: git starts git-remote-diary for addresses such as diary::URL"))
      Glibc.exit(64)
    }
    EndRequest.handleSignals()
    do {
      try converse(words[1], environment)
    } catch {
      // An error of the git that reaches the host says itself what it is.
      let isGits = error.message.contains(#/(^|\n)(fatal|error): /#)
      printError(isGits ? error.message : mark + "git-remote-diary: " + error.message)
      if let hint = error.hint { printError(mark + localized("hint: \(hint)")) }
      Glibc.exit(1)
    }
    Glibc.exit(0)
  }

  /// Answers git. The session ends with it, and removes what is temporary.
  private static func converse(
    _ address: String, _ environment: [String: String]
  ) throws(SealedError) {
    let session = try SealedSession(
      address: address, environment: environment,
      currentFolder: FileManager.default.currentDirectoryPath, now: { Int(Glibc.time(nil)) })
    session.report = { printError($0) }
    var conversation = HelperConversation(
      session, readLine: { line() },
      write: { try? FileHandle.standardOutput.write(contentsOf: Data($0.utf8)) })
    EndRequest.followsInput = true
    try conversation.run()
  }

  /// The next line's bytes, without its end; `nil` at the end of the input or after a signal. git writes
  /// few and short ones.
  private static func line() -> [UInt8]? {
    var (line, byte): ([UInt8], UInt8) = ([], 0)
    while !EndRequest.hasArrived {
      let count = read(STDIN_FILENO, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      if byte == UInt8(ascii: "\n") { return line }
      line.append(byte)
    }
    return nil
  }

  private static func printError(_ message: String) {
    try? FileHandle.standardError.write(contentsOf: Data((message + "\n").utf8))
  }
}
