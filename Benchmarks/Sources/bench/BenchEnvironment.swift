import Foundation
import Glibc

/// The folders and environment of all timed commands, separate from the user's own.
struct BenchEnvironment {
  /// The folder of the sample journals, kept between runs.
  let cache: String
  private let programFolder: String
  let environment: [String]

  /// `bin` is the folder of the built `diary`.
  init(cache: String, bin: String) {
    self.cache = cache
    programFolder = bin
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let home = cache + "/home"
    makeFolder(home)
    let settings =
      "[user]\n\tname = Bench\n\temail = bench@localhost\n[init]\n\tdefaultBranch = main\n"
    guard
      FileManager.default.createFile(atPath: home + "/.gitconfig", contents: Data(settings.utf8))
    else { fail("cannot write in \(home)") }
    environment = [
      "HOME=\(home)", "XDG_CONFIG_HOME=\(home)/.config", "PATH=\(bin):\(path)", "LC_ALL=C",
      "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=\(home)/.gitconfig",
    ]
  }

  func command(_ arguments: [String], in folder: String, _ variables: [String] = []) -> Command {
    var arguments = arguments
    if arguments[0] == "diary" { arguments[0] = programFolder + "/diary" }
    return Command(arguments, in: folder, environment + variables)
  }
}

/// Two trees with the same files, one managed by Diary and one by git, both committed.
struct JournalPair {
  let world: BenchEnvironment
  let entries: Int
  let journal: String
  let plain: String

  /// The cached pair, created if it is missing.
  init(_ entries: Int, _ world: BenchEnvironment) {
    self.world = world
    self.entries = entries
    let folder = "\(world.cache)/\(SampleJournal.edition)-\(entries)"
    (journal, plain) = (folder + "/journal", folder + "/plain")
    if access(folder + "/complete", F_OK) == 0 { return }
    try? FileManager.default.removeItem(atPath: folder)
    printProgress("making a journal of \(entries) entries in \(folder)")
    makeFolder(folder)
    world.command(["diary", "init", "--quiet", journal], in: folder).runOrFail()
    SampleJournal(entries: entries).write(to: journal)
    world.command(["cp", "-a", journal, plain], in: folder).runOrFail()
    try? FileManager.default.removeItem(atPath: plain + "/.git")
    world.command(["diary", "save", "--quiet"], in: journal).runOrFail()
    // Both tools reread files that are as recent as their scan, so let the files age first.
    sleep(3)
    world.command(["diary", "list", "-n", "1"], in: journal).runOrFail()
    world.command(["git", "init", "-q"], in: plain).runOrFail()
    world.command(["git", "add", "-A"], in: plain).runOrFail()
    // Detached packing would run during the first rows.
    world.command(["git", "-c", "gc.autoDetach=false", "commit", "-qm", "all"], in: plain)
      .runOrFail()
    _ = FileManager.default.createFile(atPath: folder + "/complete", contents: Data())
  }

  /// A Diary command in Diary's tree.
  func diaryCommand(_ arguments: String...) -> Command {
    world.command(["diary"] + arguments, in: journal)
  }

  /// A command in git's tree.
  func gitTreeCommand(_ arguments: String...) -> Command { world.command(arguments, in: plain) }

  /// A command in Diary's tree, for programs that read the same files.
  func journalCommand(_ arguments: String...) -> Command { world.command(arguments, in: journal) }

  /// A `find` that prints the file status that Diary compares.
  var findCommand: Command {
    journalCommand("find", journal, "-name", "*.md", "-printf", "%T@ %s %i\n")
  }

  /// The file that is edited.
  static let editedPath = "2010/06/edited.md"

  /// Appends a line to the edited file in one of the trees.
  func edit(_ root: String) {
    makeFolder(root + "/2010/06")
    let path = root + "/" + JournalPair.editedPath
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    let line = Array("Edited at \(monotonic()).\n".utf8)
    guard file >= 0, write(file, line, line.count) == line.count else {
      fail("cannot write \(path)")
    }
    close(file)
  }
}

/// Prints a line of the result immediately, so that a long run can be followed.
func printResult(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

/// Prints a progress message to standard error.
func printProgress(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
