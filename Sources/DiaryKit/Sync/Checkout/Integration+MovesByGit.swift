import DiaryCore
import GitHistory

extension Integration {
  /// Records the files that the user's git has updated since the last save (`git pull`, a merge, a
  /// revert), as a sync records those that it updates.
  func recordMovesByGit() async throws {
    let moves = try await journal.repository.movesByGit()
    guard !moves.isEmpty else { return }
    let today = dayOfUse()
    var all = try journal.state.checkouts.load()
    var positions = Dictionary(
      all.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    for move in moves {
      // A history that was rewritten since lacks the commits.
      guard let files = try? await journal.repository.changedFiles(from: move.from, to: move.to)
      else {
        continue
      }
      let targets = (try? await detectedRenames(files)) ?? [:]
      for file in files {
        guard let old = file.old, old.kind.isFile, file.new?.kind.isFile ?? true,
          file.new != nil || targets[file.path] != nil
        else { continue }
        let index = positions[file.path.percentEncoded]
        let former = index.map { all[$0] }
        if let former, former.isWaiting || former.brought == file.new?.id.description { continue }
        var checkout = CheckoutRecord(
          path: file.path, disk: old.id, seen: former?.shown ?? [],
          movedTo: file.new == nil ? targets[file.path] : nil, at: journal.now, day: today)
        (checkout.brought, checkout.isGone) = (file.new?.id.description, file.new == nil)
        if let index {
          all[index] = checkout
        } else {
          positions[checkout.name] = all.count
          all.append(checkout)
        }
      }
    }
    try writeCheckoutRecords(all)
  }
}
