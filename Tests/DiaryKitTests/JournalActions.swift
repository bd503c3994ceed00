import Foundation
import Glibc
import TestSupport

/// Random actions of users, editors and git in a journal's folder.
struct JournalActions: ~Copyable {
  private let world: TestJournal
  private var random: SeededGenerator
  /// Descriptors of files that are being written and not closed yet.
  private var openFiles: [CInt] = []

  init(world: TestJournal, random: SeededGenerator) {
    self.world = world
    self.random = random
  }

  deinit { for file in openFiles { close(file) } }

  /// Performs the next action and returns its description.
  mutating func performNext() async throws -> String {
    let names = ["a.md", "b.md", "x/1.md", "x/2.md", "x/new.md", "y/1.md", "y/z/2.md", "x/n.txt"]
    let folders = ["x", "y", "y/z", "w"]
    let (name, other) = (pick(names), pick(names))
    let (folder, place) = (pick(folders), pick(folders))
    let text = "# \(random.next() % 100_000)\n\nWords.\n"
    switch random.next() % 19 {
    case 0...3:
      try? world.write(text, name)
      return "write \(name)"
    case 4:
      try? world.write(text, name + ".tmp")
      move(name + ".tmp", name)
      return "replace \(name)"
    case 5, 6: return append(name, text)
    case 7:
      if !openFiles.isEmpty { close(openFiles.removeFirst()) }
      return "close"
    case 8:
      unlink(path(name))
      return "delete \(name)"
    case 9:
      move(name, other)
      return "rename \(name) \(other)"
    case 10:
      move(folder, place)
      return "rename \(folder) \(place)"
    case 11:
      try? world.home.write(text, to: "outside/in.md")
      rename(world.home.homePath + "/outside", path("w"))
      return "move w in"
    case 12:
      truncate(path(name), 3)
      return "cut \(name)"
    case 13:
      rename(path(folder), world.home.homePath + "/gone-\(random.next())")
      return "move \(folder) out"
    case 14:
      mkdir(path(folder + "/.git"), 0o755)
      if random.next() % 2 == 0 { rmdir(path(folder + "/.git")) }
      return "make \(folder) a repository"
    case 15:
      // A hard link from outside is detected when the file is written after the link was made.
      let otherName = world.home.homePath + "/linked"
      let isNew = random.next() % 2 == 0
      if isNew {
        unlink(otherName)
        link(path(name), otherName)
      }
      for name in isNew ? [path(name), otherName] : [otherName] {
        let file = Glibc.open(name, O_WRONLY | O_APPEND | O_CLOEXEC)
        _ = write(file, text, text.utf8.count)
        close(file)
      }
      return isNew ? "link \(name) and write on" : "write on by another name"
    case 16:
      chmod(path(random.next() % 2 == 0 ? name : folder), 0o700)
      return "permissions of \(name) or \(folder)"
    case 17: return overwrite(name)
    default: return try await checkOut()
    }
  }

  private mutating func append(_ name: String, _ text: String) -> String {
    let file = Glibc.open(path(name), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard file >= 0 else { return "nothing" }
    openFiles.append(file)
    _ = write(file, text, text.utf8.count)
    return "write on in \(name)"
  }

  /// Writes another text of always the same length into a file, and sets its time back.
  private mutating func overwrite(_ name: String) -> String {
    let file = Glibc.open(path(name), O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { return "nothing" }
    defer { close(file) }
    let text = "# \(10_000 + random.next() % 90_000)\n"
    _ = write(file, text, text.utf8.count)
    let past = timespec(tv_sec: 1_000_000_000, tv_nsec: 0)
    futimens(file, [past, past])
    return "overwrite \(name)"
  }

  /// Checks out the files of the first commit or the newest. The watcher may hold git's index lock.
  private mutating func checkOut() async throws -> String {
    let commit = random.next() % 2 == 0 ? "HEAD~1" : "HEAD"
    for folder in ["x", "y", "y/z", "w"] { rmdir(path(folder + "/.git")) }
    _ = try await world.home.run("git", ["checkout", "-q", "-f", commit, "--", "."], in: "j")
    return "check out \(commit)"
  }

  private mutating func pick(_ names: [String]) -> String {
    names[Int(random.next() % UInt64(names.count))]
  }

  private func path(_ name: String) -> String { world.home.homePath + "/j/" + name }
  private func move(_ from: String, _ to: String) { rename(path(from), path(to)) }
}
