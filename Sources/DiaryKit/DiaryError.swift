// DiaryKit: what a person can do with a journal. Use cases, each an extension of `Journal` in a file
// named by its command; called by the `diary` program and by nothing below it. It carries values
// between the rooms (files, git, index, watcher), which do not know one another, and is the only
// code that runs other programs. It never prints, asks, colours or exits.

import DiaryCore
import EntryIndex
import Foundation
import GitHistory
import Localization

/// Why something could not be done, said for the person who asked.
package struct DiaryError: Error, Sendable, Equatable {
  /// What follows from it; the command line turns it into the exit code.
  package enum Kind: Sendable, Equatable {
    /// It could not be done: 1.
    case failed
    /// Nothing was found: 2.
    case nothingFound
    /// The command was not understood: 64.
    case usage
  }

  /// What follows from it.
  package var kind: Kind
  /// What happened and to which file: one line, no trailing period.
  package var message: String
  /// The entries that it is about, printed as lines of the list above ``details``.
  package var entries: [EntrySummary] = []
  /// Further lines: the facts that help to understand it.
  package var details: [String]
  /// What to do next.
  package var hint: String?

  package init(
    _ message: String, kind: Kind = .failed, details: [String] = [], hint: String? = nil
  ) {
    self.message = message
    self.kind = kind
    self.details = details
    self.hint = hint
  }

  /// Any error as one that a person can read.
  package init(_ error: any Error, context: String? = nil) {
    if let error = error as? DiaryError {
      self = error
      return
    }
    let text = DiaryError.message(of: error)
    self.init(context.map { "\($0): \(text)" } ?? text)
    if let error = error as? GitError, error.reason == .notOwned {
      hint =
        localized(
          "if you trust what is in it: `git config --global --add safe.directory \(error.path)`")
    }
    if case IndexError.pattern = error {
      kind = .usage
      hint = localized("without --regex, Diary searches for the plain words")
    }
  }

  /// What an error says, in words for people: Foundation's own description is a dump of its fields.
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
