import Foundation
import Glibc
import Localization

/// The repository in which git was called. Only objects and the refs below `refs/diary/sealed/` are
/// added to it.
///
/// For each bundle of the carrier that was taken, refs name its tips, so git keeps all that a later bundle
/// needs. A bundle without them is taken again.
struct UserRepository {
  /// The folder for all that this remote keeps here, and the common beginning of its names.
  let folder: String
  private let id: String
  private let objects: String
  private let isShallow: Bool
  private let git: GitRunner

  /// The repository that git names in the environment.
  init(environment: [String: String], id: String) throws(SealedError) {
    var environment = environment
    environment["GIT_NO_REPLACE_OBJECTS"] = "1"
    environment["GIT_GRAFT_FILE"] = "/dev/null/none"
    git = GitRunner(environment: environment)
    let lines = try git.require([
      "rev-parse", "--path-format=absolute", "--git-common-dir", "--git-path", "objects",
      "--is-shallow-repository", "--show-object-format",
    ]).lines.map(String.init)
    guard lines.count == 4 else {
      throw SealedError(localized("cannot find the repository"))
    }
    guard lines[3] == "sha1" else {
      throw SealedError(
        localized("a sealed remote holds repositories of git's format SHA-1 only, not SHA-256"))
    }
    folder = lines[0] + "/diary/sealed"
    objects = lines[1]
    isShallow = lines[2] == "true"
    self.id = id
  }

  // MARK: Facts

  /// The reason why this repository may not be the source of a push.
  func reasonAgainstPush() throws(SealedError) -> String? {
    if isShallow { return localized("shallow repository") }
    let isPartial =
      try git.run([
        "config", "--get-regexp", "^(extensions\\.partialclone|remote\\..*\\.promisor)$",
      ]).status == 0
    return isPartial ? localized("partial clone") : nil
  }

  /// The object of an expression in git's syntax, and its type.
  func object(_ expression: String) throws(SealedError) -> (id: String, type: String)? {
    let id = try git.run(["rev-parse", "--verify", "--quiet", expression])
    guard id.status == 0, let name = id.lines.first.map(String.init), name.isObjectID else {
      return nil
    }
    let type = try git.run(["cat-file", "-t", name])
    return type.status == 0 ? (name, String(type.lines.first ?? "")) : nil
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
    let input = Array(objects.map { $0 + "\n" }.joined().utf8)
    let lines = try git.require(
      ["cat-file", "--batch-check=%(objectname) %(objecttype)"], input: input
    ).lines
    var types: [String: String] = [:]
    for line in lines { types[String(line.prefix(40))] = String(line.dropFirst(41)) }
    return types
  }

  /// The tips of which none is an ancestor of another.
  func independent(_ commits: [String]) throws(SealedError) -> Set<String> {
    Set(try git.require(["merge-base", "--independent"] + commits).lines.map(String.init))
  }

  /// True if one of the files of attributes among these objects gives paths to git LFS.
  func usesLFS(_ list: ObjectList) throws(SealedError) -> Bool {
    for object in list.objects
    where object.path == ".gitattributes" || object.path.hasSuffix("/.gitattributes") {
      if try git.require(["cat-file", "blob", object.id]).text.contains("filter=lfs") {
        return true
      }
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

  /// Stores the objects of a pack. It stays, even in a `git gc`, until ``releasePacks()``.
  func store(pack file: Int32) throws(SealedError) -> Bool {
    try git.run(["index-pack", "--stdin", "--fix-thin", "--keep=\(keepText)"], inputFile: file)
      .status == 0
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

  /// The tips of the bundles that were taken, by the id of the bundle.
  func takenBundles() throws(SealedError) -> [String: [String]] {
    let result = try git.require(["for-each-ref", "--format=%(objectname) %(refname)", prefix])
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
      for (number, tip) in tips.enumerated() {
        input += "update \(prefix)\(bundle)/\(number) \(tip)\n"
      }
    }
    for (bundle, tips) in old {
      for number in tips.indices { input += "delete \(prefix)\(bundle)/\(number)\n" }
    }
    _ = try git.require(["update-ref", "--stdin"], input: Array(input.utf8))
  }

  /// Removes the locks that a killed git left on these refs; only the holder of the lock changes them.
  private func removeStaleLocks() {
    let place = (folder as NSString).deletingLastPathComponent
    let root = (place as NSString).deletingLastPathComponent + "/" + prefix
    let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    for name in names where name.hasSuffix(".lock") { unlink(root + name) }
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
