import Foundation
import Glibc
import Localization

extension SealedSession {
  /// The tries of one push while other devices push, too.
  private static let tries = 5

  /// Changes refs of the remote. Returns the reason for each ref that was refused. What is not refused,
  /// the host has acknowledged.
  func push(
    _ updates: [RefUpdate], isAtomic: Bool, isDry: Bool
  ) throws(SealedError) -> [RefName: String] {
    guard let repository else { throw SealedError(localized("there is no repository here")) }
    let all = { (reason: String) in
      Dictionary(updates.map { ($0.name, reason) }) { first, _ in first }
    }
    if let reason = try repository.reasonAgainstPush() { return all(reason) }
    return try locked { () throws(SealedError) in
      var sent: (commit: String?, refused: [RefName: String])?
      var listed: [RefName: String]?
      for attempt in 0..<Self.tries {
        // git has just listed the refs; if another device was faster, the host refuses the commit.
        let state = try attempt == 0 ? current() : update()
        let tips = try take(state)
        // A push whose answer was lost may have arrived.
        if let sent, state.commit == sent.commit { return sent.refused }
        let decisions = try RefDecisions(
          updates, on: state.refs.refs, listed: listed ?? state.refs.refs, isAtomic: isAtomic,
          in: repository)
        listed = listed ?? state.refs.refs
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
        let head =
          state.commit == nil
          ? updates.map(\.name).first { $0.isBranch && decisions.refs[$0] != nil }
          : nil
        let next = try commit(
          bundles, decisions.refs, head: head ?? state.refs.head, on: state)
        sent = (next.commit, decisions.refused)
        if let errors = try copy.push(next) {
          try checkRefusal(errors, on: state)
          continue
        }
        try remember(next)
        pushed = next
        return decisions.refused
      }
      return all(RefUpdate.Refusal.fetchFirst)
    }
  }

  /// Throws if another try is useless: the host was reached, and stands where it did.
  private func checkRefusal(
    _ errors: String, on state: CarrierState
  ) throws(SealedError) {
    let isLate = ["fetch first", "non-fast-forward", "cannot lock ref", "failed to lock"]
    if isLate.contains(where: { errors.contains($0) }) {
      usleep(.random(in: 50_000...200_000))
      return
    }
    if case .commit(let now) = try copy.fetch(), now != state.commit { return }
    throw SealedError(errors)
  }
}
