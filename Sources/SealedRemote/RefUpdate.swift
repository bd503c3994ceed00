import Localization

/// One line of a push: what a ref of the remote becomes.
package struct RefUpdate: Equatable {
  /// The new value in git's syntax; `nil` deletes the ref.
  var source: String?
  var name: RefName
  /// True if commits of the ref may be dropped.
  var isForced: Bool
  /// The object that the ref must have now, from `--force-with-lease`; zeros for none.
  var expected: String?

  /// Reads `+SOURCE:NAME`. A source may have colons (`HEAD:file`), a name has none.
  init?(_ text: Substring, expecting: [RefName: String]) {
    let words = text.drop { $0 == "+" }
    guard let colon = words.lastIndex(of: ":") else { return nil }
    let (source, name) = (words[..<colon], words[words.index(after: colon)...])
    guard !name.isEmpty, !source.hasPrefix("-") else { return nil }
    self.source = source.isEmpty ? nil : String(source)
    self.name = RefName(String(name))
    isForced = text.hasPrefix("+")
    expected = expecting[self.name]
  }

  /// git's own words where it has some for a reason.
  enum Refusal {
    static let fetchFirst = "fetch first"
    static let exists = "already exists"
    static let stale = "stale info"
    static let atomic = "atomic push failed"
  }
}

/// The refs after a push, and the updates that are refused.
struct RefDecisions {
  /// The refs after the push.
  var refs: [RefName: String]
  /// The reason for each ref that is refused.
  var refused: [RefName: String] = [:]
  /// The number of refs below each folder of names.
  private var folders: [RefName: Int] = [:]

  /// Decides every update against the refs that the remote has. What drops commits is refused if the ref
  /// is not as git has listed it.
  init(
    _ updates: [RefUpdate], on refs: [RefName: String], listed: [RefName: String], isAtomic: Bool,
    in repository: UserRepository
  ) throws(SealedError) {
    self.refs = refs
    for name in refs.keys { count(name, 1) }
    let sources = updates.compactMap(\.source)
    let objects = Dictionary(
      zip(sources, try repository.objects(sources)), uniquingKeysWith: { first, _ in first })
    for update in updates {
      if update.isForced || update.source == nil, refs[update.name] != listed[update.name] {
        refused[update.name] = RefUpdate.Refusal.fetchFirst
        continue
      }
      // git does not tell in which folder it was called.
      let isRelative = update.source.map { $0.contains(":./") || $0.contains(":../") } ?? false
      let object = isRelative ? nil : update.source.flatMap { objects[$0] ?? nil }
      if let reason = try apply(update, object, in: repository) { refused[update.name] = reason }
    }
    guard isAtomic, !refused.isEmpty else { return }
    self.refs = refs
    for update in updates where refused[update.name] == nil {
      refused[update.name] = RefUpdate.Refusal.atomic
    }
  }

  /// Adds to the number of refs in each folder of a name.
  private mutating func count(_ name: RefName, _ difference: Int) {
    for folder in name.folders { folders[folder, default: 0] += difference }
  }

  private mutating func set(_ name: RefName, to object: String?) {
    if refs[name] == nil, object != nil { count(name, 1) }
    if refs[name] != nil, object == nil { count(name, -1) }
    refs[name] = object
  }

  private mutating func apply(
    _ update: RefUpdate, _ object: (id: String, type: String)?, in repository: UserRepository
  ) throws(SealedError) -> String? {
    let name = update.name
    guard name.text.isRefName, !name.isBelow("refs/diary") else {
      return localized("a sealed remote holds no ref of this name")
    }
    let old = refs[name]
    let zeros = String(repeating: "0", count: 40)
    if let expected = update.expected, expected != old ?? zeros { return RefUpdate.Refusal.stale }
    guard update.source != nil else {
      set(name, to: nil)
      return nil
    }
    guard let new = object else {
      return localized("this repository has no such object")
    }
    if name.isBranch, new.type != "commit" {
      return localized("a branch must be a commit")
    }
    if folders[name, default: 0] > 0, let other = refs.keys.first(where: { $0.isBelow(name.text) })
    {
      return localized("the remote has \(other.text)")
    }
    if let other = name.folders.first(where: { refs[$0] != nil }) {
      return localized("the remote has \(other.text)")
    }
    guard let old, old != new.id, !update.isForced, update.expected == nil else {
      set(name, to: new.id)
      return nil
    }
    if name.isBelow("refs/tags") { return RefUpdate.Refusal.exists }
    guard try repository.isAncestor(old, of: new.id) else { return RefUpdate.Refusal.fetchFirst }
    set(name, to: new.id)
    return nil
  }
}
