/// The items of lists: their markers, their numbers, and what is indented below them. Numbers are
/// spacing, like the indentation.
extension MergeWriter {
  /// An item that contains the blocks that follow it, from the column at which its text begins.
  struct OpenItem {
    let part: Int
    let column: Int
  }

  /// The marker before a part's text, with its number in the result.
  func marker(_ index: Int) -> [UInt8] {
    let part = parts[index]
    let style = styleSource(part).map { Array($0.bytes[markerRange($0.unit)]) }
    let marker = style ?? listMarkers[index] ?? marker(of: part)
    guard let number = numbers[index] else { return marker }
    return Array(String(number).utf8) + marker.drop { $0.isDigit }
  }

  /// True for the marker of an item alone in its line.
  func isMarkerAlone(_ index: Int) -> Bool {
    guard kind(index) == .other else { return false }
    let text = sides[parts[index].side].bytes[unit(index).text].drop { $0.isDigit }
    return text.count == 1 && "-*+.)".utf8.contains(text.first ?? 0)
  }

  /// The merged marker of a part, with the number 1: a change of the number is none of the marker.
  private func marker(of part: MergedPart) -> [UInt8] {
    property(part, \.marker, without: \.task) { marker in
      marker.first?.isDigit ?? false ? [UInt8(ascii: "1")] + marker.drop { $0.isDigit } : marker
    }
  }

  /// An item that one version added to a list gets the kind of marker that the list has now.
  mutating func findListMarkers() {
    func kind(_ marker: some Collection<UInt8>) -> UInt8? { marker.first { !$0.isDigit } }
    var changed: [[Int: (old: UInt8?, marker: [UInt8])]] = [[:], [:]]
    for part in parts where part.units.allSatisfy({ $0 != nil }) && styleSource(part) == nil {
      let merged = marker(of: part)
      for side in 0...1 {
        let unit = sides[side].units[part.units[side] ?? 0]
        guard let list = unit.list, changed[side][list] == nil,
          Array(sides[side].bytes[unit.linePrefix]) == property(part, \.linePrefix)
        else { continue }
        changed[side][list] = (kind(sides[side].bytes[markerRange(unit)]), merged)
      }
    }
    for (index, part) in parts.enumerated() {
      let own = unit(index)
      guard part.units[1 - part.side] == nil, let list = own.list,
        let (old, marker) = changed[part.side][list],
        kind(sides[part.side].bytes[markerRange(own)]) == old, kind(marker) != old
      else { continue }
      listMarkers[index] = marker
    }
  }

  /// The merged indentation of a part, given those of the parts above it. It follows the width of the
  /// marker of the item around it; if the versions have it in different items, of the one that it
  /// follows in the result. What was in an item that became another block is indented as that block.
  /// A block too deep for the items that are open would be code: it goes into the last of these.
  func indentation(_ index: Int, _ above: [[UInt8]], _ open: [OpenItem], isBlockStart: Bool)
    -> [UInt8]
  {
    let outer = indentation(index, above, open) ?? property(parts[index], \.linePrefix)
    let reach = open.last?.column ?? 0
    guard isBlockStart, kind(index) != .code, outer.count >= reach + 4,
      outer.allSatisfy({ $0 == 0x20 })
    else { return outer }
    return Array(repeating: 0x20, count: reach)
  }

  private func indentation(_ index: Int, _ above: [[UInt8]], _ open: [OpenItem]) -> [UInt8]? {
    let part = parts[index]
    let outer = property(part, \.linePrefix)
    let known = [part.side, 1 - part.side].filter { part.units[$0] != nil }
    let parents = known.map { side in item(around: part.units[side] ?? 0, side) }
    /// Its indentation in a version behind that of the item around it there.
    func inner(_ side: Int, _ parent: Int) -> ArraySlice<UInt8>? {
      guard let own = part.units[side], let around = parts[parent].units[side] else { return nil }
      let prefix = sides[side].bytes[sides[side].units[own].linePrefix]
      let item = sides[side].units[around]
      let offset = item.linePrefix.count + markerRange(item).count
      guard prefix.count >= offset,
        prefix.starts(with: below(Array(sides[side].bytes[item.linePrefix]))),
        prefix.dropFirst(item.linePrefix.count).allSatisfy({ $0 == 0x20 })
      else { return nil }
      return prefix.dropFirst(offset)
    }
    guard let parent = parents.compactMap(\.self).max(), parent < index else { return nil }
    let isItem = kind(parent) == .item
    let side = zip(known, parents).first { side, around in
      around == parent && (!isItem || !parents.contains(nil) && isPrefix(outer, of: part, in: side))
    }?.0
    guard let side, let rest = inner(side, parent) else { return nil }
    guard isItem else { return below(above[parent]) + rest }
    let open =
      open.last { $0.part == parent } ?? open.last { unit($0.part).level == unit(parent).level }
    let current = open?.part ?? parent
    return below(above[current]) + Array(repeating: 0x20, count: marker(current).count) + rest
  }

  /// The indentation of the lines below an item, from that of its own line: in `- - tea`, the first
  /// marker becomes blanks.
  private func below(_ indentation: [UInt8]) -> [UInt8] {
    indentation.map { [0x09, 0x20, UInt8(ascii: ">")].contains($0) ? $0 : 0x20 }
  }

  private func isPrefix(_ prefix: [UInt8], of part: MergedPart, in side: Int) -> Bool {
    part.units[side].map { Array(sides[side].bytes[sides[side].units[$0].linePrefix]) } == prefix
  }

  /// The part of the item that contains a unit in its version.
  private func item(around number: Int, _ side: Int) -> Int? {
    let units = sides[side].units
    var at = units[number].parent
    while let parent = at, units[parent].block == units[number].block { at = units[parent].parent }
    return at.flatMap { units[$0].kind == .item ? partOfUnit[side][$0] : nil }
  }

  /// Numbers the items of each list that was read back, given the units at which the parts begin.
  /// Returns true if a number changes.
  mutating func renumber(_ read: BodyUnits, _ starts: [Int]) -> Bool {
    var lists: [Int: [Int]] = [:]
    for (index, start) in starts.enumerated() {
      let own = read.units[start]
      guard let list = own.list, read.bytes[own.marker].first?.isDigit ?? false else { continue }
      lists[list, default: []].append(index)
    }
    let texts = ([base] + sides).map { text in
      (text, Dictionary(grouping: text.units.indices) { text.units[$0].list })
    }
    var changed = numbers
    for list in lists.values {
      var known = ItemNumbers()
      for (version, (text, items)) in texts.enumerated() {
        let units = list.map { version == 0 ? parts[$0].base : parts[$0].units[version - 1] }
        guard let first = units.lazy.compactMap({ $0 }).first,
          let number = text.units[first].list, let whole = items[number]
        else { continue }
        let all = whole.compactMap { itemNumber(text.bytes[text.units[$0].marker]) }
        guard all.count == whole.count else { continue }
        known.lists[version] = all
        if units == whole.map({ Optional($0) }) { known.same[version] = all }
      }
      for (index, number) in zip(list, known.merged(count: list.count)) { changed[index] = number }
    }
    defer { numbers = changed }
    return changed.contains { index, number in itemNumber(marker(index)[...]) != number }
  }
}
