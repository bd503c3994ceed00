import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Glibc
import Localization

/// The terminal or pipe of this process.
enum Console {
  static let environment = ProcessInfo.processInfo.environment
  static let isTerminal = isatty(STDOUT_FILENO) == 1
  static let canPrompt = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1
  static let isDumb = environment["TERM"] == "dumb"
  static let hasColour = isTerminal && !isDumb && (environment["NO_COLOR"] ?? "").isEmpty

  /// The columns of the terminal, or 80 without one.
  static var width: Int {
    if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// The lines of the terminal, or 24 without one.
  static var height: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return 24 }
    return Int(size.ws_row)
  }

  /// Opens standard descriptors that the caller has closed, with /dev/null. Otherwise the next
  /// opened file, such as the index, would get descriptor 1, and results would be written into it.
  static func openClosedDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
      _ = open("/dev/null", O_RDWR)
    }
  }

  /// Prints a line of results. On a terminal, control characters are escaped.
  static func print(_ text: String) { print(styled: isTerminal ? terminalText(text) : text) }

  /// Prints a line of results with styles, whose external text went through
  /// ``escapedOnTerminal(_:)``.
  static func print(styled line: String) { write(line + "\n", to: STDOUT_FILENO) }

  /// Prints the path of an entry, including the journal's folder.
  static func print(_ path: EntryPath, in journal: Journal) {
    print(escapedOnTerminal(journal.root + "/" + path.text))
  }

  /// Prints a JSON document.
  static func print(json bytes: [UInt8]) {
    let safe = isTerminal ? Array(terminalText(String(decoding: bytes, as: UTF8.self)).utf8) : bytes
    write(safe, to: STDOUT_FILENO)
  }

  /// Prints a part of a document on a terminal.
  static func print(part bytes: [UInt8]) {
    write(terminalText(String(decoding: bytes, as: UTF8.self)), to: STDOUT_FILENO)
  }

  /// Prints a line that is not a result. Control characters are escaped, in a log as well.
  static func printNotice(_ text: String) {
    write(terminalText(namingJournal(text)) + "\n", to: STDERR_FILENO)
  }

  static func write(_ text: String, to descriptor: Int32) {
    write(Array(text.utf8), to: descriptor)
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var remaining = bytes[...]
    while !remaining.isEmpty {
      let count = remaining.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        // EPIPE is not an error: the program that reads the pipe has ended. ENOSPC is one.
        guard descriptor == STDOUT_FILENO, errno != EPIPE else { return }
        printNotice(
          localized("diary: cannot write to standard output: \(String(cString: strerror(errno)))"))
        exit(1)
      }
      remaining = remaining.dropFirst(count)
    }
  }

  /// A name from a file, a remote or a provider, for a line of results. On a terminal, control
  /// characters are escaped.
  static func escapedOnTerminal(_ text: String) -> String { isTerminal ? terminalName(text) : text }

  /// A name for a line that is not a result. Control characters are escaped, in a log as well.
  static func escaped(_ text: String) -> String { terminalName(text) }

  /// The text in a style, if the terminal has colours.
  static func styled(_ text: String, _ style: Style) -> String {
    hasColour ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  enum Style: String {
    case bold = "1"
    case dim = "2"
    case match = "1;33"
    case good = "32"
    case bad = "31"
  }

  /// Prompts for a line; `nil` at the end of input.
  static func prompt(_ question: String) -> String? {
    write(terminalText(question), to: STDERR_FILENO)
    return readLine(strippingNewline: true)
  }

  /// Asks for a key or password in one line, which the terminal does not show; `nil` at the end of
  /// input.
  static func secret(
    _ question: String = localized("Type the key in one line (it is not shown): ")
  ) -> String? {
    var shown = termios()
    tcgetattr(STDIN_FILENO, &shown)
    let before = shown
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // Ctrl-Z and Ctrl-\\ would leave the terminal as it is now, or show the key after `fg`.
    withUnsafeMutableBytes(of: &hidden.c_cc) { keys in
      for key in [VSUSP, VQUIT] { keys[Int(key)] = 0 }
    }
    let handling = Interruptible.onSignal { number in
      var shown = before
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
      Interruption(number: number).endProcess()
    }
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden)
    write(question, to: STDERR_FILENO)
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
      withExtendedLifetime(handling) {}
      write("\n", to: STDERR_FILENO)
    }
    return readLine(strippingNewline: true)
  }

  /// Throws if no confirmation can be asked for. The hint names the option that replaces it.
  static func requirePrompt(hint: String) throws(DiaryError) {
    guard !canPrompt else { return }
    throw DiaryError(localized("cannot ask for confirmation: not a terminal"), hint: hint)
  }

  /// Asks a yes/no question. Anything but a yes is a no; an empty answer is `preset`.
  static func confirm(_ question: String, preset: Bool) -> Bool {
    let answer = prompt(question + (preset ? " [Y/n] " : " [y/N] "))?.lowercased()
    guard let answer else { return false }
    return answer.isEmpty ? preset : isYes(answer)
  }

  /// Returns whether an answer in lower case is a yes in a language in which Diary asks.
  static func isYes(_ answer: String) -> Bool { ["y", "yes", "네", "예", "응"].contains(answer) }

  /// Returns whether an answer is a no in a language in which Diary asks.
  static func isNo(_ answer: String) -> Bool {
    let answer = answer.lowercased().filter { !$0.isWhitespace }
    return ["n", "no", "아니오", "아니요", "아니"].contains(answer)
  }
}
