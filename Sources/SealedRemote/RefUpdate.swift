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

  /// Reads `+SOURCE:NAME`.
  init?(_ text: Substring, expecting: [RefName: String]) {
    let parts = text.drop { $0 == "+" }.split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, !parts[0].hasPrefix("-") else { return nil }
    source = parts[0].isEmpty ? nil : String(parts[0])
    name = RefName(String(parts[1]))
    isForced = text.hasPrefix("+")
    expected = expecting[name]
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

  /// Decides every update against the refs that the remote has. What drops commits is refused if the ref
  /// is not as git has listed it.
  init(
    _ updates: [RefUpdate], on refs: [RefName: String], listed: [RefName: String], isAtomic: Bool,
    in repository: UserRepository
  ) throws(SealedError) {
    self.refs = refs
    for update in updates {
      if update.isForced || update.source == nil, refs[update.name] != listed[update.name] {
        refused[update.name] = RefUpdate.Refusal.fetchFirst
        continue
      }
      if let reason = try apply(update, in: repository) { refused[update.name] = reason }
    }
    guard isAtomic, !refused.isEmpty else { return }
    self.refs = refs
    for update in updates where refused[update.name] == nil {
      refused[update.name] = RefUpdate.Refusal.atomic
    }
  }

  private mutating func apply(
    _ update: RefUpdate, in repository: UserRepository
  ) throws(SealedError) -> String? {
    let name = update.name
    guard name.text.isRefName, !name.isBelow("refs/diary") else {
      return localized("a sealed remote holds no ref of this name")
    }
    let old = refs[name]
    let zeros = String(repeating: "0", count: 40)
    if let expected = update.expected, expected != old ?? zeros { return RefUpdate.Refusal.stale }
    guard let source = update.source else {
      refs[name] = nil
      return nil
    }
    guard let new = try repository.object(source) else {
      return localized("this repository has no such object")
    }
    if name.isBranch, new.type != "commit" {
      return localized("a branch must be a commit")
    }
    if let other = refs.keys.first(where: { $0.isBelow(name.text) || name.isBelow($0.text) }) {
      return localized("the remote has \(other.text)")
    }
    guard let old, old != new.id, !update.isForced, update.expected == nil else {
      refs[name] = new.id
      return nil
    }
    if name.isBelow("refs/tags") { return RefUpdate.Refusal.exists }
    guard try repository.isAncestor(old, of: new.id) else { return RefUpdate.Refusal.fetchFirst }
    refs[name] = new.id
    return nil
  }
}
