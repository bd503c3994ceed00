import Foundation
import Glibc
import Localization

/// The repository in which git was called. Only objects and the refs below `refs/diary/sealed/` are
/// added to it.
///
/// For each bundle of the carrier that was taken, refs name its tips, so git keeps all that a later bundle
/// needs. A bundle without them is taken again. The last part of a ref's name is its object: a program that
/// rewrites all refs, such as `git filter-branch -- --all`, must not change what a host is believed to have.
struct UserRepository {
  /// The folder of Diary's private state.
  let privateFolder: String
  /// The folder for all that this remote keeps here, and the common beginning of its names.
  var folder: String { privateFolder + "/sealed" }
  private let id: String
  private let objects: String
  private let isShallow: Bool
  private let git: GitRunner

  /// The repository that git names in the environment.
  init(environment: [String: String], id: String) throws(SealedError) {
    var environment = environment
    environment["GIT_NO_REPLACE_OBJECTS"] = "1"
    environment["GIT_GRAFT_FILE"] = "/dev/null/none"
    // Its messages are read here. LANGUAGE counts even with this locale.
    environment["LC_ALL"] = "C.UTF-8"
    environment["LANGUAGE"] = nil
    git = GitRunner(environment: environment)
    let facts = try git.require([
      "rev-parse", "--path-format=absolute", "--git-common-dir", "--git-path", "objects",
      "--is-shallow-repository", "--show-object-format",
    ])
    let lines = facts.lines.map(String.init)
    guard String(validating: facts.output, as: UTF8.self) != nil else {
      throw SealedError(
        localized("the path of this repository is not in UTF-8"),
        hint: localized("a sealed remote needs one that is; nothing was changed"))
    }
    guard lines.count == 4 else {
      throw SealedError(localized("cannot find the repository"))
    }
    guard lines[3] == "sha1" else {
      throw SealedError(
        localized("a sealed remote holds repositories of git's format SHA-1 only, not SHA-256"))
    }
    privateFolder = lines[0] + "/diary"
    objects = lines[1]
    isShallow = lines[2] == "true"
    self.id = id
  }

  // MARK: Facts

  /// The reason why this repository may not be the source of a push.
  func reasonAgainstPush() throws(SealedError) -> String? {
    if isShallow { return localized("shallow repository") }
    return try isPartial ? localized("partial clone") : nil
  }

  /// True if git may fetch missing objects while it reads others, perhaps from this very remote.
  private var isPartial: Bool {
    get throws(SealedError) {
      try git.run([
        "config", "--get-regexp", "^(extensions\\.partialclone|remote\\..*\\.promisor)$",
      ]).status == 0
    }
  }

  /// Throws for a partial clone.
  func requireComplete() throws(SealedError) {
    guard try isPartial else { return }
    throw SealedError(
      localized("a sealed remote cannot be used in a partial clone"),
      hint: localized("clone it without `--filter`"))
  }

  /// Throws if the repository lacks an object that one of its own refs needs.
  func requireWhole() throws(SealedError) {
    let result = try git.run(["rev-list", "--objects", "--quiet", "--all"])
    guard result.status != 0 else { return }
    throw SealedError(
      localized("this repository is damaged: \(result.reason)"),
      hint: localized("`git fsck` names it; nothing was sent"))
  }

  /// The branch that is checked out; `nil` for none.
  var currentBranch: RefName? {
    get throws(SealedError) {
      try git.run(["symbolic-ref", "--quiet", "HEAD"]).lines.first.map { RefName(String($0)) }
    }
  }

  /// The objects of expressions in git's syntax, and their types; `nil` for one without an object.
  func objects(
    _ expressions: [String]
  ) throws(SealedError) -> [(id: String, type: String)?] {
    guard !expressions.isEmpty else { return [] }
    let input = Array(expressions.map { $0 + "\n" }.joined().utf8)
    let lines = try git.require(
      ["cat-file", "--batch-check=%(objectname) %(objecttype)"], input: input
    ).lines
    guard lines.count == expressions.count else {
      throw SealedError(localized("git cat-file gave an unknown line"))
    }
    return lines.map { line in
      let words = line.split(separator: " ").map(String.init)
      return words.count == 2 && words[0].isObjectID && words[1] != "missing"
        ? (words[0], words[1]) : nil
    }
  }

  func isAncestor(_ old: String, of new: String) throws(SealedError) -> Bool {
    try git.run(["merge-base", "--is-ancestor", old, new]).status == 0
  }

  /// True if all these objects are here with all that they refer to.
  func isWhole(_ tips: some Collection<String>) throws(SealedError) -> Bool {
    guard !tips.isEmpty else { return true }
    let names = tips.joined(separator: "\n") + "\n"
    return try git.run(
      ["rev-list", "--objects", "--quiet", "--stdin", "--not", "--all"], input: Array(names.utf8)
    ).status == 0
  }

  /// The objects that `tips` refer to and `old` do not. Throws if one is missing.
  func difference(
    _ tips: some Collection<String>, from old: some Collection<String>
  ) throws(SealedError) -> ObjectList {
    let names = (Array(tips) + old.map { "^" + $0 }).joined(separator: "\n") + "\n"
    let result = try git.run(
      ["rev-list", "--objects", "--boundary", "--stdin"], input: Array(names.utf8))
    guard result.status == 0 else {
      throw SealedError(
        localized("this repository lacks an object that would be pushed: \(result.reason)"),
        hint: localized("`git fsck` names it; nothing was sent"))
    }
    return ObjectList(result.lines)
  }

  /// The types of objects that are here.
  func types(of objects: [String]) throws(SealedError) -> [String: String] {
    var types: [String: String] = [:]
    for object in try self.objects(objects) { if let (id, type) = object { types[id] = type } }
    return types
  }

  /// The tips of which none is an ancestor of another.
  func independent(_ commits: [String]) throws(SealedError) -> Set<String> {
    Set(try git.require(["merge-base", "--independent"] + commits).lines.map(String.init))
  }

  /// True if one of the files of attributes among these objects gives paths to git LFS.
  func usesLFS(_ list: ObjectList) throws(SealedError) -> Bool {
    let files = list.objects.filter {
      $0.path == ".gitattributes" || $0.path.hasSuffix("/.gitattributes")
    }.map(\.id)
    for (file, object) in zip(files, try objects(files)) where object?.type == "blob" {
      let lines = try git.require(["cat-file", "blob", file]).lines.map {
        $0.drop { $0.isWhitespace }
      }
      if lines.contains(where: { !$0.hasPrefix("#") && $0.contains("filter=lfs") }) { return true }
    }
    return false
  }

  // MARK: Packs

  /// Writes a pack of exactly these objects to the end of a file.
  func writePack(of list: ObjectList, to file: Int32) throws(SealedError) {
    _ = try git.require(
      ["pack-objects", "-q", "--stdout", "--delta-base-offset"],
      input: Array(list.text.utf8), outputFile: file)
  }

  /// The ids of the objects in a pack, which is indexed in a folder of its own. Throws if it is damaged.
  func objects(inPack file: Int32, scratch: String) throws(SealedError) -> Set<String> {
    let names = ["\(scratch)/objects/info", "\(scratch)/objects/pack"]
    for name in names {
      do {
        try FileManager.default.createDirectory(
          atPath: name, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      } catch {
        throw SealedError.system(localized("cannot write \(name)"))
      }
    }
    let alternates = open("\(names[0])/alternates", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    defer { close(alternates) }
    guard alternates >= 0, alternates.writeAll((objects + "\n").utf8) else {
      throw SealedError.system(localized("cannot write \(names[0])"))
    }
    var other = git
    other.environment["GIT_OBJECT_DIRECTORY"] = "\(scratch)/objects"
    let end = file.fileSize - Int(lseek(file, 0, SEEK_CUR)) - 20
    let pack = try other.require(["index-pack", "--stdin", "--fix-thin"], inputFile: file)
    let name = pack.lines.first?.split(separator: "\t").last ?? ""
    let index = open("\(names[1])/pack-\(name).idx", O_RDONLY | O_CLOEXEC)
    defer { close(index) }
    let list = try other.require(["show-index"], inputFile: index)
    // The objects that `--fix-thin` adds stand behind the pack's own.
    return Set(
      list.lines.map { $0.split(separator: " ") }.filter { Int($0[0]) ?? end < end }.map {
        String($0[1])
      })
  }

  /// Stores the objects of a pack. It stays, even in a `git gc`, until ``releasePacks()``. False if the
  /// pack is damaged, or an object is missing on which it builds.
  func store(pack file: Int32) throws(SealedError) -> Bool {
    let result = try git.run(
      ["index-pack", "--stdin", "--fix-thin", "--keep=\(keepText)"], inputFile: file)
    guard !result.failedHere else {
      throw SealedError(localized("git cannot store what it fetched: \(result.reason)"))
    }
    return result.status == 0
  }

  private var keepText: String { "git-remote-diary \(id)" }

  /// Leaves the stored packs to git, also those of a process that was killed.
  func releasePacks() {
    let folder = objects + "/pack"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names where name.hasSuffix(".keep") {
      let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      if text == keepText + "\n" { unlink("\(folder)/\(name)") }
    }
  }

  // MARK: Refs

  private var prefix: String { "refs/diary/sealed/\(id)/" }

  /// The tips of the bundles that were taken, by the id of the bundle. If a ref of them is broken, all
  /// are removed.
  func takenBundles() throws(SealedError) -> [String: [String]] {
    let result = try git.run([
      "for-each-ref", "--format=%(objectname) %(refname) %(objecttype)", prefix,
    ])
    let isRight = result.lines.allSatisfy { line in
      line.split(separator: " ").dropFirst().first?.hasSuffix("/" + line.prefix(40)) == true
    }
    // git's words for a ref that it cannot read.
    let isBroken = result.errors.split(separator: "\n").contains {
      $0.hasPrefix("warning: ignoring ")
    }
    guard isRight, result.status == 0, !isBroken else {
      try removeTakenBundles()
      return [:]
    }
    var taken: [String: [String]] = [:]
    for line in result.lines {
      let bundle = String(line.dropFirst(41 + prefix.count).prefix(40))
      taken[bundle, default: []].append(String(line.prefix(40)))
    }
    return taken
  }

  /// Records the bundles that were taken, and forgets those that the carrier no longer has.
  func record(
    _ new: [String: [String]], forgetting old: [String: [String]]
  ) throws(SealedError) {
    guard !new.isEmpty || !old.isEmpty else { return }
    removeStaleLocks()
    var input = ""
    for (bundle, tips) in new {
      for tip in Set(tips) { input += "update \(prefix)\(bundle)/\(tip) \(tip)\n" }
    }
    for (bundle, tips) in old {
      for tip in tips { input += "delete \(prefix)\(bundle)/\(tip)\n" }
    }
    _ = try git.require(["update-ref", "--stdin"], input: Array(input.utf8))
  }

  private func removeTakenBundles() throws(SealedError) {
    // git deletes no ref whose file is broken, as after a power cut.
    for file in looseFiles { unlink(file) }
    let list = try git.require(["for-each-ref", "--format=delete %(refname)", prefix])
    _ = try git.require(["update-ref", "--stdin"], input: list.output)
  }

  /// Removes the locks that a killed git left on these refs; only the holder of the lock changes them.
  private func removeStaleLocks() {
    for file in looseFiles where file.hasSuffix(".lock") { unlink(file) }
  }

  /// The files of these refs that are not packed.
  private var looseFiles: [String] {
    let root = (privateFolder as NSString).deletingLastPathComponent + "/" + prefix
    let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return paths.map { root + $0 }.filter {
      var status = stat()
      return lstat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
  }
}

/// The objects for a pack, each with a path if it has one, and the commits at which they end, which a
/// reader must have.
struct ObjectList {
  var objects: [(id: String, path: String)] = []
  var boundary: [String] = []

  init(_ lines: [Substring]) {
    for line in lines {
      if line.hasPrefix("-") {
        boundary.append(String(line.dropFirst()))
      } else {
        objects.append((String(line.prefix(40)), String(line.dropFirst(41))))
      }
    }
  }

  var ids: Set<String> { Set(objects.map(\.id)) }

  /// The input of `git pack-objects`.
  var text: String {
    (boundary.map { "-\($0)\n" } + objects.map { "\($0.id) \($0.path)\n" }).joined()
  }
}
