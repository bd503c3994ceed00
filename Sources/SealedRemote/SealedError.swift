// SealedRemote: a git remote whose host stores only encrypted files (docs/sealed.md). It is the work of
// `git-remote-diary`, which git starts for an address `diary::URL`. It runs the user's `git` and `age`,
// knows nothing of journals, and works in any repository.

import Glibc
import Localization

/// An error with a message for the user.
package struct SealedError: Error, Equatable {
  /// The event, in one line without a period.
  package var message: String
  /// The suggested next step.
  package var hint: String?
  /// True if damage of the local copy can be the cause.
  var mayBeDamage = false

  package init(_ message: String, hint: String? = nil) {
    self.message = message
    self.hint = hint
  }

  /// An error of the last system call.
  static func system(_ message: String) -> SealedError {
    SealedError("\(message): \(String(cString: strerror(errno)))")
  }

  /// The reason for a branch `sealed` that has other files than a sealed remote.
  package static var notSealed: String { localized("it is not the branch of a sealed remote") }

  /// The error that a host has branches, and none of them is that of a sealed remote.
  package static var otherRepository: SealedError {
    SealedError(
      localized("this host already holds a repository that is not sealed"),
      hint: localized(
        "make a new, empty repository for the sealed remote; if there was one here, and its branch "
          + "has got another name, call it `sealed` again"))
  }

  /// The error that a file of the host is not what a device of this remote wrote.
  static func damaged(_ file: String, _ reason: String) -> SealedError {
    var error = SealedError(
      localized("the host's file \(file) is damaged or not from your devices: \(reason)"),
      hint: localized("nothing was changed here, and nothing is lost"))
    error.mayBeDamage = true
    return error
  }
}
