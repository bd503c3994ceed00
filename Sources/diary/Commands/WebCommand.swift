import ArgumentParser
import DiaryKit
import Glibc
import Localization

struct WebCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    command: "web", abstract: localized("Read and write in the browser, until interrupted."),
    discussion: localized(
      """
      Prints a link that opens the journal in a browser on this machine. The page saves as you type, \
      and `diary web` also saves what other programs change, as `diary watch` does.
      """))

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(localized("The port to listen on."), valueName: "n"))
  var port: Int?
  @Flag(help: ArgumentHelp(localized("Only print the link; do not start a browser.")))
  var noOpen = false
  @Flag(help: ArgumentHelp(localized("Refuse every change from the browser.")))
  var readOnly = false
  @Flag(help: ArgumentHelp(localized("Sign out all browsers, and end.")))
  var forget = false
  @Flag(help: ArgumentHelp(localized("End when the last page is closed.")))
  var untilClosed = false
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if let port, !(1...65_535).contains(port) {
      throw ValidationError(localized("--port must be from 1 to 65535"))
    }
  }

  func run() async throws {
    let journal = try common.open(writing: !readOnly)
    let program = try journal.webProgram()
    var commandLine = [program, journal.root]
    if let port { commandLine += ["--port", "\(port)"] }
    for (option, isGiven) in [
      ("--no-open", noOpen), ("--read-only", readOnly), ("--forget", forget),
      ("--until-closed", untilClosed), ("--quiet", common.quiet),
    ] where isGiven { commandLine.append(option) }
    // The server replaces this process, so it gets its signals, and its exit code is the command's.
    var arguments = commandLine.map { strdup($0) } + [nil]
    execv(program, &arguments)
    throw DiaryError(localized("cannot run \(program): \(String(cString: strerror(errno)))"))
  }
}
