import Glibc
import Localization

extension SealedSession {
  /// Replaces neighbouring bundles by one if a push left too many, so that a clone has few to read.
  /// Another device that is faster, or any failure, leaves the carrier as it is.
  func foldIfDue() {
    guard let state = pushed else { return }
    _ = try? locked { () throws(SealedError) in try shrinkCopy(of: fold(state)) }
  }

  /// Makes the copy anew if most of it is history.
  func shrinkCopy(of state: CarrierState) throws(SealedError) {
    try copy.shrink(to: state.bundles.reduce(0) { $0 + $1.size })
  }

  private func fold(_ state: CarrierState) throws(SealedError) -> CarrierState {
    guard let range = Self.foldable(state.bundles.map(\.size), most: mostBundles), let repository
    else { return state }
    try take(state)
    let old = state.bundles[range]
    var objects: Set<String> = []
    var tips: [String: String] = [:]
    var prerequisites: Set<String> = []
    for bundle in old {
      let opened = try open(bundle)
      prerequisites.formUnion(opened.header.prerequisites)
      for tip in opened.header.tips { tips[tip.object] = tip.name }
      objects.formUnion(try self.objects(of: opened, repository))
    }
    let types = try repository.types(of: Array(tips.keys))
    let commits = tips.keys.filter { types[$0] == "commit" }
    let needed = try commits.isEmpty ? [] : repository.independent(commits)
    tips = tips.filter { needed.contains($0.key) || types[$0.key] != "commit" }
    prerequisites.subtract(objects)
    // git's list gives the order and the paths; the objects are those of the old bundles.
    var list = try repository.difference(Array(tips.keys), from: prerequisites)
    list.objects.removeAll { !objects.contains($0.id) }
    list.objects += objects.subtracting(list.ids).sorted().map { ($0, "") }
    list.boundary = prerequisites.sorted()
    let header = BundleHeader(
      prerequisites: list.boundary, tips: tips.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    )
    guard let last = old.last else { return state }
    let bundle = SealedBundle(
      number: last.number, parts: try seal(header, list, repository))
    var bundles = state.bundles
    bundles.replaceSubrange(range, with: [bundle])
    let next = try commit(bundles, state.refs.refs, head: state.refs.head, on: state)
    guard try copy.push(next) == nil else { return state }
    try remember(next)
    try take(next)
    return next
  }

  /// The bundles that one bundle should replace, given all sizes, oldest first; `nil` for none. They are
  /// the newest of the longest row of small ones: as many as it takes for each size to be at least half
  /// of the one before, or for a size that stays for good.
  static func foldable(_ sizes: [Int], most: Int) -> Range<Int>? {
    let largest = SealedBundle.partSize
    let rows = sizes.indices.split { sizes[$0] >= largest }
    guard rows.reduce(0, { $0 + $1.count }) > most,
      let row = rows.max(by: { $0.count < $1.count }), row.count > 1
    else { return nil }
    var (start, total) = (row.endIndex, 0)
    while start > row.startIndex, total < largest,
      row.endIndex - start < 2 || sizes[start - 1] < 2 * total
    {
      start -= 1
      total += sizes[start]
    }
    return start..<row.endIndex
  }
}
