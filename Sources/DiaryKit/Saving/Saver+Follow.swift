import DiaryCore
import GitHistory

extension Saver {
  /// Moves everything that this device has recorded about a file along with it. The move is saved
  /// next; a repeated call changes nothing.
  ///
  /// - Parameter moves: the new path of each moved file.
  func follow(_ moves: [EntryPath: EntryPath]) throws {
    guard !moves.isEmpty else { return }
    try followImports(moves: moves)
    try moveCheckouts(moves)
    try moveStamps(moves)
    try moveReviews(moves)
  }

  private func moveCheckouts(_ moves: [EntryPath: EntryPath]) throws {
    let known = try journal.state.checkouts.load()
    guard !known.isEmpty else { return }
    let names = Dictionary(
      uniqueKeysWithValues: moves.map {
        (journal.checkouts.checkoutName($0), journal.checkouts.checkoutName($1))
      })
    // The record of another file at the new path ends. Its own one stays if the user moves the file
    // back to where a sync had moved it from.
    let recorded = Set(known.map(\.name))
    let origins = Dictionary(names.map { ($1, $0) }) { first, _ in first }
    func isTaken(_ record: CheckoutRecord) -> Bool {
      guard names[record.name] == nil, let origin = origins[record.name] else { return false }
      return recorded.contains(origin) || record.movedTo != origin
    }
    let moved = known.filter { !isTaken($0) }
      .map { checkout in
        var checkout = checkout
        checkout.name = names[checkout.name] ?? checkout.name
        checkout.movedTo = checkout.movedTo.map { names[$0] ?? $0 }
        return checkout
      }
    if moved != known { try integration.writeCheckoutRecords(moved) }
  }

  /// Moves the stamps that wait for an editor or for the network.
  private func moveStamps(_ moves: [EntryPath: EntryPath]) throws {
    // Two names may be equal as texts and differ in their bytes.
    let target = { (text: String) in EntryPath(text).flatMap { moves[$0] }?.text }
    if try journal.state.queuedStamps.load().contains(where: { target($0.path) != nil }) {
      try update(journal.state.queuedStamps) { owed in
        for index in owed.indices {
          owed[index].path = target(owed[index].path) ?? owed[index].path
        }
      }
    }
    try changeWaitingStamps { stamps in
      stamps = Dictionary(stamps.map { (moves[$0] ?? $0, $1) }) { first, _ in first }
    }
  }

  private func moveReviews(_ moves: [EntryPath: EntryPath]) throws {
    let names = Dictionary(
      uniqueKeysWithValues: moves.map { ($0.percentEncoded, $1.percentEncoded) })
    guard try journal.state.sync.load().keptBoth.keys.contains(where: { names[$0] != nil })
    else {
      return
    }
    try update(journal.state.sync) { state in
      state.keptBoth = Dictionary(state.keptBoth.map { (names[$0] ?? $0, $1) }) { first, _ in first
      }
    }
  }
}
