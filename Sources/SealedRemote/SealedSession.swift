import Foundation
import Glibc
import Localization

/// The state of the carrier in one of its commits.
struct CarrierState {
  /// `nil` while the host is empty.
  var commit: String?
  var refs: CarrierRefs
  /// Oldest first.
  var bundles: [SealedBundle]
}

/// A bundle in the carrier.
struct SealedBundle: Equatable {
  var number: Int
  /// The files that, one after the other, are the encrypted bundle.
  var parts: [(blob: String, size: Int)]

  static func == (one: SealedBundle, other: SealedBundle) -> Bool { one.id == other.id }

  /// The same on all devices.
  var id: String { parts[0].blob }
  var size: Int { parts.reduce(0) { $0 + $1.size } }

  /// The largest file in the carrier: hosts refuse files of 100 MB.
  static let partSize = 32 << 20

  func name(of part: Int) -> String {
    let (number, part) = (String(number), String(part + 1))
    return String(repeating: "0", count: max(0, 6 - number.count)) + number + "."
      + String(repeating: "0", count: max(0, 3 - part.count)) + part
  }
}

/// One use of a sealed remote by git: the keys, the copy of the carrier, and the repository.
package final class SealedSession {
  let keys: AgeKeys
  let copy: CarrierCopy
  let repository: UserRepository?
  let id: String
  /// The folder for what is decrypted, in the repository's private folder.
  let work: String
  /// True if a host that lost what was seen there is accepted.
  let acceptsRewritten: Bool
  /// Called with what a longer step does, if git wants progress to be shown.
  package var report: (String) -> Void = { _ in }
  /// True if git wants progress to be shown.
  var showsProgress = false
  /// The time in seconds that another use of the remote may take.
  package var lockTimeout = 60.0
  /// The most bundles below the largest size that stay side by side.
  package var mostBundles = 64
  /// The largest list of refs that is read: nothing vouches for it before it is decrypted.
  private static let largestRefs = 64 << 20
  private let folder: String
  private let isTemporary: Bool
  private let now: @Sendable () -> Int
  private var openedKey: String?
  /// The state of the host after the last push.
  var pushed: CarrierState?

  /// - Parameters:
  ///   - environment: the variables that git set for the helper.
  ///   - now: the clock, in Unix seconds.
  package init(
    address: String, environment: [String: String], currentFolder: String,
    now: @escaping @Sendable () -> Int
  ) throws(SealedError) {
    let host = try HostAddress(address, currentFolder: currentFolder)
    let git = GitRunner(environment: environment)
    id = try host.id(git)
    self.now = now
    repository =
      environment["GIT_DIR"] == nil ? nil : try UserRepository(environment: environment, id: id)
    let ownKeys = repository.map { access($0.privateFolder + "/keys", F_OK) == 0 } ?? false
    keys = AgeKeys(
      environment: environment, repository: repository?.privateFolder, staysInside: ownKeys)
    isTemporary = repository == nil
    if let repository {
      folder = repository.folder
      try Self.makePrivate(folder)
    } else {
      let place = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
      var name = Array("\(place)/diary-sealed-XXXXXX".utf8CString)
      guard mkdtemp(&name) != nil else {
        throw SealedError.system(localized("cannot make a temporary folder"))
      }
      folder = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    work = "\(folder)/\(id).work"
    copy = CarrierCopy(
      path: "\(folder)/\(id).git", host: host, environment: try Self.innerEnvironment(git))
    acceptsRewritten = try git.run(["config", "--bool", "diary.acceptRewritten"]).text == "true\n"
  }

  deinit { if isTemporary { try? FileManager.default.removeItem(atPath: folder) } }

  private static func makePrivate(_ folder: String) throws(SealedError) {
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw SealedError.system(localized("cannot write \(folder)"))
    }
  }

  /// The variables for git in the copy: none that names the user's repository, and the settings of that
  /// repository and of the command line that concern the way to a host.
  private static func innerEnvironment(
    _ git: GitRunner
  ) throws(SealedError) -> [String: String] {
    var variables = git.environment
    for name in try git.require(["rev-parse", "--local-env-vars"]).lines {
      variables[String(name)] = nil
    }
    // Its messages are read here. LANGUAGE counts even with this locale.
    variables["LC_ALL"] = "C.UTF-8"
    variables["LANGUAGE"] = nil
    // A host that is a folder may log who has pushed.
    for role in ["AUTHOR", "COMMITTER"] {
      variables["GIT_\(role)_NAME"] = "diary"
      variables["GIT_\(role)_EMAIL"] = "diary@localhost"
      variables["GIT_\(role)_DATE"] = "@0 +0000"
    }
    // It counts more than the setting with which the copy never runs a second `diary::`.
    variables["GIT_ALLOW_PROTOCOL"] = variables["GIT_ALLOW_PROTOCOL"].map {
      $0.split(separator: ":").filter { $0 != "diary" }.joined(separator: ":")
    }
    let pattern =
      "^(core\\.(sshcommand|askpass|gitproxy)|ssh\\.|http\\.|https\\.|credential\\.|url\\.)"
    let list = try git.run(["config", "--null", "--show-scope", "--get-regexp", pattern])
    let fields = list.text.split(separator: "\0", omittingEmptySubsequences: false)
    var count = 0
    for (scope, setting) in zip(fields, fields.dropFirst()).enumerated()
      .filter({ $0.offset.isMultiple(of: 2) }).map(\.element)
    where ["local", "worktree", "command"].contains(scope) {
      let parts = setting.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
      variables["GIT_CONFIG_KEY_\(count)"] = String(parts[0])
      variables["GIT_CONFIG_VALUE_\(count)"] = parts.count > 1 ? String(parts[1]) : "true"
      count += 1
    }
    if count > 0 { variables["GIT_CONFIG_COUNT"] = String(count) }
    return variables
  }

  // MARK: The lock

  /// Runs `body` while no other process uses this remote's files here. A copy that proves damaged is
  /// fetched again.
  func locked<Value>(_ body: () throws(SealedError) -> Value) throws(SealedError) -> Value {
    let path = "\(folder)/\(id).lock"
    let lock = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { throw SealedError.system(localized("cannot open \(path)")) }
    defer { close(lock) }
    let end = ContinuousClock.now + .seconds(lockTimeout)
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw SealedError.system(localized("cannot open \(path)"))
      }
      if EndRequest.hasArrived { throw SealedError(localized("it was interrupted")) }
      guard ContinuousClock.now < end else {
        throw SealedError(
          localized("another program has used this sealed remote here for a minute"),
          hint: localized(
            "wait until it has sent all; if it hangs, end it: `ps -C git-remote-diary` shows it"))
      }
      EndRequest.poll(-1, atMost: 20)
    }
    defer { emptyWork() }
    emptyWork()
    try Self.makePrivate(work)
    repository?.releasePacks()
    try copy.make()
    do {
      return try body()
    } catch {
      guard error.mayBeDamage, try copy.isDamaged() else { throw error }
      copy.remove()
      try copy.make()
      return try body()
    }
  }

  private func emptyWork() { try? FileManager.default.removeItem(atPath: work) }

  // MARK: The carrier

  /// Fetches the carrier, and reads and checks its newest commit.
  func update() throws(SealedError) -> CarrierState {
    let seen = SeenState(at: seenPath)
    switch try copy.fetch() {
    case .nothing:
      if let seen, !acceptsRewritten { throw seen.lost(nil) }
      try copy.forget()
      // The key stays the same.
      if let seen { openedKey = try? keyThatOpens(seen.commit) }
      if openedKey == nil { openedKey = try keys.fileForNewRemote(id) }
      let carrier = seen?.carrier ?? Self.newID()
      return CarrierState(
        commit: nil,
        refs: CarrierRefs(
          carrier: carrier, number: 0, parent: nil, bundles: nil, head: RefName("refs/heads/main"),
          refs: [:]
        ),
        bundles: [])
    case .commit(let commit):
      let state = try read(commit)
      if let seen, !acceptsRewritten { try check(state, after: seen) }
      try remember(state)
      return state
    }
  }

  /// The newest state that was accepted, without asking the host if there is one.
  func current() throws(SealedError) -> CarrierState {
    if let tip = try copy.tip { return try read(tip) }
    return try update()
  }

  private static func newID() -> String {
    String((0..<32).map { _ in "0123456789abcdef".randomElement() ?? "0" })
  }

  /// The file whose key opens the list of refs in a commit of the copy; `nil` for none.
  private func keyThatOpens(_ commit: String) throws(SealedError) -> String? {
    guard let file = try copy.items(of: commit).first(where: { $0.name == CarrierFile.refs }) else {
      return nil
    }
    return try keys.open(copy.contents(of: file.id), for: id, known: nil).key
  }

  /// Reads a commit of the carrier. The error of another commit names the newest ancestor that is one.
  private func read(_ commit: String) throws(SealedError) -> CarrierState {
    do { return try readAlone(commit) } catch {
      guard error.mayBeDamage else { throw error }
      var error = error
      // A new copy has the last commit alone.
      try copy.deepen(by: 20)
      for ancestor in try copy.ancestors(of: commit) where (try? readAlone(ancestor)) != nil {
        error.hint = localized(
          "something else was pushed there; on the host, "
            + "`git update-ref refs/heads/sealed \(ancestor)` restores the branch")
        break
      }
      throw error
    }
  }

  /// Reads a commit of the carrier, and checks that its parts belong together.
  private func readAlone(_ commit: String) throws(SealedError) -> CarrierState {
    let items = try copy.items(of: commit)
    guard CarrierFile.areAll(items.map(\.name)),
      let file = items.first(where: { $0.name == CarrierFile.refs })
    else { throw .damaged("sealed", SealedError.notSealed) }
    guard file.size <= Self.largestRefs else {
      throw .damaged(CarrierFile.refs, localized("its text is not a list of refs"))
    }
    let sealed = try copy.contents(of: file.id)
    let opened = try keys.open(sealed, for: id, known: openedKey)
    openedKey = opened.key
    guard let text = PaddedText.content(of: opened.text),
      let refs = CarrierRefs(String(decoding: text, as: UTF8.self))
    else { throw .damaged(CarrierFile.refs, localized("its text is not a list of refs")) }
    let tree = items.first { $0.name == CarrierFile.bundles }
    let parents = try copy.parents(of: commit)
    guard parents == [refs.parent].compactMap(\.self) else {
      throw .damaged(CarrierFile.refs, localized("it belongs to another commit"))
    }
    guard tree?.id == refs.bundles else {
      throw .damaged(
        CarrierFile.bundles, localized("they are not those that the list of refs names"))
    }
    let parts = try tree.map { (tree) throws(SealedError) in try copy.items(of: tree.id) } ?? []
    return CarrierState(commit: commit, refs: refs, bundles: try Self.bundles(parts))
  }

  static func bundles(_ items: [CarrierCopy.Item]) throws(SealedError) -> [SealedBundle] {
    var bundles: [SealedBundle] = []
    for item in items {
      let number = Int(item.name.prefix { $0 != "." })
      if let last = bundles.last, last.number == number {
        bundles[bundles.count - 1].parts.append((item.id, item.size))
      } else if let number {
        bundles.append(SealedBundle(number: number, parts: [(item.id, item.size)]))
      }
      guard let last = bundles.last, last.name(of: last.parts.count - 1) == item.name else {
        throw .damaged(item.name, localized("its name is not that of a bundle"))
      }
    }
    return bundles
  }

  // MARK: What was seen

  private var seenPath: String { "\(folder)/\(id).seen" }

  private func check(_ state: CarrierState, after seen: SeenState) throws(SealedError) {
    guard let commit = state.commit, commit != seen.commit else { return }
    guard state.refs.carrier == seen.carrier, state.refs.number > seen.number else {
      throw seen.lost(state.refs)
    }
    // A copy that was made anew has the newest commit alone.
    if try !copy.has(seen.commit) { try copy.deepen(by: state.refs.number - seen.number) }
    guard try copy.has(seen.commit),
      try copy.distance(from: seen.commit, to: commit) == state.refs.number - seen.number
    else {
      throw seen.lost(state.refs)
    }
  }

  /// Remembers the newest state, so that the host cannot go back behind it unnoticed.
  func remember(_ state: CarrierState) throws(SealedError) {
    guard let commit = state.commit else { return }
    if try copy.tip != commit { try copy.accept(commit) }
    try SeenState(commit: commit, number: state.refs.number, carrier: state.refs.carrier).write(
      to: seenPath)
  }

  /// The key that opened the carrier, or that makes it.
  func key() throws(SealedError) -> String {
    if let openedKey { return openedKey }
    return try keys.fileForNewRemote(id)
  }

  var time: Int { now() }
}

/// The names in the carrier.
package enum CarrierFile {
  static let refs = "refs.age"
  static let bundles = "bundles"
  private static let all: Set = [refs, bundles]

  /// True if these are the names in a carrier's commit.
  static func areAll(_ names: some Sequence<String>) -> Bool {
    let names = Set(names)
    return names.contains(refs) && names.isSubset(of: all)
  }

  /// True if a carrier's commit has these names, or one on which somebody put other files.
  package static func areIncluded(in names: some Sequence<String>) -> Bool {
    areAll(names) || all.isSubset(of: names)
  }
}
