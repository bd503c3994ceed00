import Foundation
import Glibc
import Localization

extension SealedSession {
  /// The tries of one push while other devices push, too.
  private static let tries = 5

  /// Changes refs of the remote. Returns the reason for each ref that was refused. What is not refused,
  /// the host has acknowledged.
  ///
  /// - Parameter listed: the refs that git was told; `nil` for those that are known here.
  func push(
    _ updates: [RefUpdate], listed: [RefName: String]?, isAtomic: Bool, isDry: Bool
  ) throws(SealedError) -> [RefName: String] {
    guard let repository else { throw SealedError(localized("there is no repository here")) }
    let all = { (reason: String) in
      Dictionary(updates.map { ($0.name, reason) }) { first, _ in first }
    }
    if let reason = try repository.reasonAgainstPush() { return all(reason) }
    return try locked { () throws(SealedError) in
      var sent: (commit: String?, refused: [RefName: String])?
      var listed = listed
      var first: CarrierState?
      var refusal = ""
      for attempt in 0..<Self.tries {
        // git has just listed the refs; if another device was faster, the host refuses the commit.
        let state = try attempt == 0 ? current() : update()
        let tips = try take(state)
        // A push whose answer was lost may have arrived.
        if let sent, state.commit == sent.commit { return sent.refused }
        let decisions = try RefDecisions(
          updates, on: state.refs.refs, listed: listed ?? state.refs.refs, isAtomic: isAtomic,
          in: repository)
        (listed, first) = (listed ?? state.refs.refs, first ?? state)
        guard decisions.refs != state.refs.refs, !isDry else { return decisions.refused }
        let new = Set(decisions.refs.values).subtracting(state.refs.refs.values)
        let list = try repository.difference(new, from: tips)
        if try repository.usesLFS(list) {
          return all(localized("git LFS would send its files unsealed"))
        }
        var bundles = state.bundles
        if !list.objects.isEmpty {
          let header = BundleHeader(
            prerequisites: list.boundary,
            tips: decisions.refs.sorted { $0.key < $1.key }.filter {
              new.contains($0.value) && !tips.contains($0.value)
            }.map { ($0.value, $0.key.text) })
          let count = list.objects.count
          if showsProgress { report(localized("Encrypting objects: \(count)")) }
          let parts = try seal(header, list, repository)
          let size = parts.reduce(0) { $0 + $1.size }
          if showsProgress { report(localized("Sending them: \(size / 1000) kB")) }
          bundles.append(SealedBundle(number: (bundles.last?.number ?? 0) + 1, parts: parts))
        }
        let branches = try [state.refs.head, repository.currentBranch, RefName("refs/heads/main")]
          .compactMap(\.self)
        let head = (branches + updates.map(\.name) + decisions.refs.keys.sorted()).first {
          $0.isBranch && decisions.refs[$0] != nil
        }
        let next = try commit(bundles, decisions.refs, head: head ?? state.refs.head, on: state)
        sent = (next.commit, decisions.refused)
        if let errors = try copy.push(next) {
          try checkRefusal(errors, on: state)
          refusal = errors
          continue
        }
        try remember(next)
        pushed = next
        return decisions.refused
      }
      // Nobody else was faster: the host cannot move the branch.
      if let first, try update().commit == first.commit { throw Self.error(of: refusal) }
      return all(RefUpdate.Refusal.fetchFirst)
    }
  }

  /// Throws if another try is useless: the host was reached, and stands where it did.
  private func checkRefusal(
    _ errors: String, on state: CarrierState
  ) throws(SealedError) {
    // git's line for the ref; the words of hooks are in other lines.
    let line = errors.split(separator: "\n").first { $0.hasPrefix("!\t") } ?? ""
    let isLate = [
      "fetch first", "non-fast-forward", "stale info", "incorrect old value",
      "failed to update ref",
      "failed to lock", "cannot lock ref",
    ]
    if isLate.contains(where: { line.contains($0) }) {
      usleep(.random(in: 50_000...200_000))
      return
    }
    if case .commit(let now) = try copy.fetch(), now != state.commit { return }
    throw Self.error(of: errors)
  }

  /// The error of a push that the host refused, or that did not reach it.
  private static func error(of errors: String) -> SealedError {
    if let lock = errors.firstMatch(of: /Unable to create '([^']+\.lock)': File exists/) {
      let path = String(lock.1).replacing("/./", with: "/")
      return SealedError(
        localized(
          "the branch is locked on the host: another device is pushing, or a push was interrupted"),
        hint: localized("if no device is pushing, remove this file on the host: \(path)"))
    }
    // With such a line the host itself has answered; without, git says why it was not reached.
    guard let line = errors.split(separator: "\n").first(where: { $0.hasPrefix("!\t") }) else {
      return SealedError(errors)
    }
    return SealedError(
      localized("the host refused the push: \(reason(in: errors, line))"),
      hint: localized("ask its owner; nothing is lost, and the next push sends it"))
  }

  /// The words of the host's programs, else the reason in git's line for the ref.
  private static func reason(in errors: String, _ line: Substring) -> String {
    let lines = errors.split(separator: "\n")
    let remote = lines.filter { $0.hasPrefix("remote: ") }.map { $0.dropFirst("remote: ".count) }
    let said = remote.isEmpty ? lines.filter { $0.hasPrefix("error: unable") } : remote
    return said.isEmpty
      ? String(line.split(separator: "\t").last ?? "")
      : said.prefix(3).map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "; ")
  }
}
