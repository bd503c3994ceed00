// DiaryKit: the operations on a journal, each an extension of `Journal` in a file named after its
// command. The `diary` program calls it; no lower module does. It passes values between files, git,
// index and watcher, which do not depend on one another, and is the only code that runs other
// programs. It never prints, asks, colours or exits.

import DiaryCore
import EntryIndex
import Foundation
import GitHistory
import Localization
import SealedRemote

/// An error with a message for the user.
package struct DiaryError: Error, Sendable, Equatable {
  /// The kind of failure; the command line maps it to the exit code.
  package enum Kind: Sendable, Equatable {
    /// The operation failed: 1.
    case failed
    /// No result was found: 2.
    case nothingFound
    /// The journal is locked, or its disk is not mounted: 3.
    case locked
    /// The command line is not valid: 64.
    case usage
  }

  package var kind: Kind
  /// The event and the file concerned: one line, no trailing period.
  package var message: String
  /// The entries concerned, printed as lines of the list above ``details``.
  package var entries: [EntrySummary] = []
  /// Further lines that help to understand the error.
  package var details: [String]
  /// The suggested next step.
  package var hint: String?

  package init(
    _ message: String, kind: Kind = .failed, details: [String] = [], hint: String? = nil
  ) {
    self.message = message
    self.kind = kind
    self.details = details
    self.hint = hint
  }

  /// Converts any error to one that a user can read.
  package init(_ error: any Error, context: String? = nil) {
    if let error = error as? DiaryError {
      self = error
      return
    }
    if let error = error as? SealedError {
      self.init(error.message, hint: error.hint)
      return
    }
    let text = DiaryError.message(of: error)
    self.init(context.map { "\($0): \(text)" } ?? text)
    if let error = error as? GitError, error.reason == .notOwned {
      hint =
        localized(
          "if you trust its contents: `git config --global --add safe.directory \(error.path)`")
    }
    if let error = error as? GitError, error.reason == .locked,
      JournalFinder.exists(error.path + ".lock")
    {
      hint = localized("if no git is running, remove this file: \(error.path + ".lock")")
    }
    if case IndexError.pattern = error {
      kind = .usage
      hint = localized("without --regex, Diary searches for the plain words")
    }
  }

  /// The message of an error for the user. Foundation's own description is a dump of its fields.
  static func message(of error: any Error) -> String {
    guard let error = error as? CocoaError else { return "\(error)" }
    let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
    if let underlying, underlying.domain == NSPOSIXErrorDomain {
      return String(cString: strerror(Int32(underlying.code)))
    }
    let text = error.localizedDescription.replacing(
      "The operation could not be completed. ", with: "")
    return text.contains("NSCocoaErrorDomain") ? localized("the system refused it") : text
  }
}
