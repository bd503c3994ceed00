import Foundation
import Glibc

/// The folders and variables that everything timed runs with: none of the user's own.
struct World {
  /// Holds the sample journals between runs.
  let cache: String
  private let bin: String
  let environment: [String]

  /// `bin` holds the built `diary`.
  init(cache: String, bin: String) {
    self.cache = cache
    self.bin = bin
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

  func command(_ words: [String], in folder: String, _ more: [String] = []) -> Command {
    let words = words[0] == "diary" ? [bin + "/diary"] + words.dropFirst() : words
    return Command(words, in: folder, environment + more)
  }
}

/// Two trees with the same files, one kept by Diary and one by git, both committed.
struct Pair {
  let world: World
  let entries: Int
  let journal: String
  let plain: String

  /// The cached pair, made when it is missing.
  init(_ entries: Int, _ world: World) {
    self.world = world
    self.entries = entries
    let folder = "\(world.cache)/\(SampleJournal.edition)-\(entries)"
    (journal, plain) = (folder + "/journal", folder + "/plain")
    if access(folder + "/complete", F_OK) == 0 { return }
    try? FileManager.default.removeItem(atPath: folder)
    note("making a journal of \(entries) entries in \(folder)")
    makeFolder(folder)
    world.command(["diary", "init", "--quiet", journal], in: folder).must()
    SampleJournal(entries: entries).write(to: journal)
    world.command(["cp", "-a", journal, plain], in: folder).must()
    try? FileManager.default.removeItem(atPath: plain + "/.git")
    world.command(["diary", "save", "--quiet"], in: journal).must()
    // Files as young as their look are read anew by the next one, on both sides.
    sleep(3)
    world.command(["diary", "list", "-n", "1"], in: journal).must()
    world.command(["git", "init", "-q"], in: plain).must()
    world.command(["git", "add", "-A"], in: plain).must()
    // Its packing would run beside the first rows.
    world.command(["git", "-c", "gc.autoDetach=false", "commit", "-qm", "all"], in: plain).must()
    _ = FileManager.default.createFile(atPath: folder + "/complete", contents: Data())
  }

  /// A command of Diary's in its tree.
  func diary(_ words: String...) -> Command { world.command(["diary"] + words, in: journal) }

  /// A command beside it, in git's tree.
  func beside(_ words: String...) -> Command { world.command(words, in: plain) }

  /// The same, in Diary's tree: for programs that look at the same files.
  func inJournal(_ words: String...) -> Command { world.command(words, in: journal) }

  /// What `find` needs to tell of each file what Diary looks at.
  var find: Command { inJournal("find", journal, "-name", "*.md", "-printf", "%T@ %s %i\n") }

  /// The file that the edits go to.
  static let edited = "2010/06/edited.md"

  /// Adds a line to it in one of the trees.
  func edit(_ root: String) {
    makeFolder(root + "/2010/06")
    let path = root + "/" + Pair.edited
    let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    let line = Array("Edited at \(monotonic()).\n".utf8)
    guard file >= 0, write(file, line, line.count) == line.count else {
      fail("cannot write \(path)")
    }
    close(file)
  }
}

/// Prints a line of the result at once, so that a long run can be followed.
func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

/// Says how far it is.
func note(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
