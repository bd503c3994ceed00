import Localization

/// One line of a push: what a ref of the remote becomes.
package struct RefUpdate: Equatable {
  /// The new value in git's syntax; `nil` deletes the ref.
  var source: String?
  var name: String
  /// True if commits of the ref may be dropped.
  var isForced: Bool
  /// The object that the ref must have now, from `--force-with-lease`; zeros for none.
  var expected: String?

  /// Reads `+SOURCE:NAME`.
  init?(_ text: Substring, expecting: [String: String]) {
    let parts = text.drop { $0 == "+" }.split(
      separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, !parts[0].hasPrefix("-") else { return nil }
    source = parts[0].isEmpty ? nil : String(parts[0])
    name = String(parts[1])
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

/// What a push does to the refs.
struct RefDecisions {
  /// The refs after the push.
  var refs: [String: String]
  /// The reason for each ref that is refused.
  var refused: [String: String] = [:]

  /// Decides every update against the refs that the remote has.
  init(
    _ updates: [RefUpdate], on refs: [String: String], isAtomic: Bool, in repository: UserRepository
  ) throws(SealedError) {
    self.refs = refs
    for update in updates {
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
    guard name.isRefName, !name.hasPrefix("refs/diary/") else {
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
    if name.hasPrefix("refs/heads/"), new.type != "commit" {
      return localized("a branch must be a commit")
    }
    if let other = refs.keys.first(where: { $0.hasPrefix(name + "/") || name.hasPrefix($0 + "/") })
    {
      return localized("the remote has \(other)")
    }
    guard let old, old != new.id, !update.isForced, update.expected == nil else {
      refs[name] = new.id
      return nil
    }
    if name.hasPrefix("refs/tags/") { return RefUpdate.Refusal.exists }
    guard try repository.isAncestor(old, of: new.id) else { return RefUpdate.Refusal.fetchFirst }
    refs[name] = new.id
    return nil
  }
}
