import Foundation
import Glibc
import Localization

/// The local copy of the carrier: the bare repository whose one branch `sealed` only grows.
///
/// It can be fetched again, so nothing in it is flushed.
struct CarrierCopy {
  /// The answer of the host.
  enum Offer: Equatable {
    /// No ref at all.
    case nothing
    case commit(String)
  }

  private let path: String
  private let host: HostAddress
  private let git: GitRunner
  private static let branch = "refs/heads/sealed"
  /// The name of the host in the copy, which no remote in the user's own configuration has.
  private static let remote = "git-remote-diary-host"

  private static let settings = [
    "gc.auto=0", "maintenance.auto=false", "push.pushOption=", "core.fsync=none",
    "core.hooksPath=/dev/null",
    "core.compression=0", "pack.window=0", "fetch.unpackLimit=1", "protocol.diary.allow=never",
  ]

  /// - Parameters:
  ///   - path: the folder of the copy, which ``make()`` creates.
  ///   - environment: the variables for git, without those that name another repository.
  init(path: String, host: HostAddress, environment: [String: String]) {
    self.path = path
    self.host = host
    git = GitRunner(
      arguments: ["--git-dir=" + path] + Self.settings.flatMap { ["-c", $0] },
      environment: environment)
  }

  // MARK: The copy itself

  /// Creates the copy unless it is there, and removes the locks of a killed git. One that is not whole,
  /// because git was killed or the power was cut, is made anew.
  func make() throws(SealedError) {
    for name in ["shallow", "config", "packed-refs", "HEAD", Self.branch] {
      unlink("\(path)/\(name).lock")
    }
    let setting = ["config", "remote.\(Self.remote).url", host.text]
    if access(path + "/HEAD", F_OK) == 0, try git.run(setting).status == 0 { return }
    remove()
    _ = try git.require(["init", "--quiet", "--bare", "--template=", "--object-format=sha1"])
    _ = try git.require(setting)
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  /// True if an object of the newest commit is missing or does not have the bytes that its name says.
  func isDamaged() throws(SealedError) -> Bool {
    try git.run(["fsck", "--no-dangling", "--no-progress"]).status != 0
  }

  /// Replaces the copy by one with the newest commit alone if it has twice the bytes of that commit.
  func shrink(to size: Int) throws(SealedError) {
    let counts = try git.require(["count-objects", "-v"]).lines.map { $0.split(separator: " ") }
    let kilobytes = counts.filter { ["size:", "size-pack:"].contains($0.first) }
      .compactMap { $0.last.flatMap { Int($0) } }
    try? FileManager.default.removeItem(atPath: path + ".old")
    guard kilobytes.reduce(0, +) * 1024 > 2 * size + (1 << 20) else { return }
    let new = CarrierCopy(path: path + ".new", host: host, environment: git.environment)
    new.remove()
    try new.make()
    let fetched = try new.git.run([
      "fetch", "--quiet", "--no-tags", "--depth=1", "file://" + path,
      Self.branch + ":" + Self.branch,
    ])
    guard fetched.status == 0, rename(path, path + ".old") == 0 else { return new.remove() }
    rename(path + ".new", path)
    try? FileManager.default.removeItem(atPath: path + ".old")
  }

  // MARK: The host

  /// Fetches what the host offers. The branch does not move yet.
  func fetch() throws(SealedError) -> Offer {
    let depth = try tip == nil ? ["--depth=1"] : []
    let result = try git.run(
      ["fetch", "--no-tags", "--quiet"] + depth + [Self.remote, Self.branch])
    if result.status == 0 { return .commit(try git.line(["rev-parse", "FETCH_HEAD"])) }
    let list = try git.run(["ls-remote", Self.remote])
    guard list.status == 0, result.errors.contains("couldn't find remote ref") else {
      let text = result.errors.trimmingCharacters(in: .newlines)
      var error = SealedError(
        text.isEmpty ? localized("git fetch failed: \(result.reason)") : text)
      error.mayBeDamage = list.status == 0
      throw error
    }
    if list.lines.isEmpty { return .nothing }
    // Another device may have been the first just now.
    if list.lines.contains(where: { $0.hasSuffix("\t" + Self.branch) }) { return try fetch() }
    throw .otherRepository
  }

  /// Fetches this many older commits of the branch, too.
  func deepen(by count: Int) throws(SealedError) {
    _ = try git.run([
      "fetch", "--no-tags", "--quiet", "--deepen=\(count)", Self.remote, Self.branch,
    ])
  }

  /// Sends a state to the host; the errors if it was refused. Nothing is forced. Only git's line for the
  /// ref tells that it has arrived: with some settings of the user, git sends nothing and succeeds.
  func push(_ state: CarrierState) throws(SealedError) -> String? {
    guard let commit = state.commit else { return nil }
    // git does not pass its settings to another repository, and by default syncs no single object there.
    let flushes =
      host.isFolder
      ? ["--receive-pack=git -c core.fsync=all -c core.fsyncMethod=fsync receive-pack"] : []
    let result = try git.run(
      [
        "push", "--porcelain", "--no-progress", "--no-follow-tags", "--no-signed",
        "--recurse-submodules=no",
      ]
        + flushes + [Self.remote, "\(commit):\(Self.branch)"])
    guard result.status == 0,
      result.lines.contains(where: { !$0.hasPrefix("!") && $0.contains(":\(Self.branch)\t") })
    else {
      let text = (result.errors + "\n" + result.text).trimmingCharacters(in: .newlines)
      return text.isEmpty ? localized("git push failed: \(result.reason)") : text
    }
    if host.isFolder { host.syncFolders() }
    return nil
  }

  // MARK: Commits

  /// The newest commit that was accepted.
  var tip: String? {
    get throws(SealedError) {
      let result = try git.run(["rev-parse", "--verify", "--quiet", Self.branch])
      return result.status == 0 ? result.lines.first.map(String.init) : nil
    }
  }

  /// Forgets which commit was accepted. Its objects stay, so that the key that opened them is known.
  func forget() throws(SealedError) {
    _ = try git.require(["update-ref", "-d", Self.branch])
  }

  /// The first parents of a commit, newest first, as far as they are here.
  func ancestors(of commit: String) throws(SealedError) -> [String] {
    try git.require(["rev-list", "--first-parent", "--max-count=100", "--skip=1", commit]).lines
      .map(String.init)
  }

  func accept(_ commit: String) throws(SealedError) {
    _ = try git.require(["update-ref", Self.branch, commit])
  }

  /// The number of commits from an older one to a newer; `nil` if the older is no ancestor.
  func distance(from old: String, to new: String) throws(SealedError) -> Int? {
    guard try git.run(["merge-base", "--is-ancestor", old, new]).status == 0 else { return nil }
    return Int(try git.line(["rev-list", "--count", "\(old)..\(new)"]))
  }

  func has(_ commit: String) throws(SealedError) -> Bool {
    try git.run(["cat-file", "-e", commit + "^{commit}"]).status == 0
  }

  /// The parents that a commit names, which need not be here.
  func parents(of commit: String) throws(SealedError) -> [String] {
    let lines = try git.require(["cat-file", "commit", commit]).text.split(
      separator: "\n", omittingEmptySubsequences: false)
    return lines.prefix { !$0.isEmpty }.filter { $0.hasPrefix("parent ") }.map {
      String($0.dropFirst("parent ".count))
    }
  }

  /// An entry of a tree.
  struct Item {
    var mode: String
    var id: String
    var size: Int
    var name: String
  }

  func items(of tree: String) throws(SealedError) -> [Item] {
    try git.require(["ls-tree", "-l", tree]).lines.map { (line) throws(SealedError) in
      let parts = line.split(separator: "\t", maxSplits: 1)
      let words = parts[0].split(separator: " ").map(String.init)
      guard parts.count == 2, words.count == 4 else {
        throw SealedError(localized("git ls-tree gave an unknown line"))
      }
      return Item(mode: words[0], id: words[2], size: Int(words[3]) ?? 0, name: String(parts[1]))
    }
  }

  func contents(of blob: String) throws(SealedError) -> [UInt8] {
    try git.require(["cat-file", "blob", blob]).output
  }

  func copy(_ blob: String, to file: Int32) throws(SealedError) {
    _ = try git.require(["cat-file", "blob", blob], outputFile: file)
  }

  func store(_ bytes: [UInt8]) throws(SealedError) -> String {
    try git.line(["hash-object", "-w", "--stdin"], input: bytes)
  }

  func tree(_ items: [Item]) throws(SealedError) -> String {
    let lines = items.map { item in
      "\(item.mode) \(item.mode == "040000" ? "tree" : "blob") \(item.id)\t\(item.name)\n"
    }
    return try git.line(["mktree"], input: Array(lines.joined().utf8))
  }

  /// Writes a commit that says nothing but the day.
  func commit(_ tree: String, parent: String?, seconds: Int) throws(SealedError) -> String {
    let day = seconds - seconds % 86_400
    let person = "diary <diary@localhost> \(day) +0000"
    let text =
      "tree \(tree)\n" + (parent.map { "parent \($0)\n" } ?? "")
      + "author \(person)\ncommitter \(person)\n\nsealed\n"
    return try git.line(["hash-object", "-t", "commit", "-w", "--stdin"], input: Array(text.utf8))
  }
}
