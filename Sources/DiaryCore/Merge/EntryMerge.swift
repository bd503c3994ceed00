// The three-way merge of an entry, a function of three texts: no clock, device or order of commits
// has a say, and the two versions may change places. Called by whoever brings two devices' journals
// together; it touches no disk and no git. docs/merge.md tells what merges how.

/// The result of merging two versions of one text.
package struct EntryMerge: Hashable, Sendable {
  /// The merged text.
  package let bytes: [UInt8]
  /// Whether both versions of something stand in it, one after the other, so that the writer should
  /// look.
  package let hasConflict: Bool

  /// Merges two versions; `base` is what both came from, `nil` for two new files of one path that are
  /// the same day's entry. Where one of two changed versions is no mergeable text
  /// (``canMerge(_:)``), one of them stands whole and the other is not in the result.
  package init(base: [UInt8]?, _ a: [UInt8], _ b: [UInt8]) {
    if a == b || base == b {
      self.init(bytes: a)
    } else if base == a {
      self.init(bytes: b)
    } else if EntryMerge.canMerge(a), EntryMerge.canMerge(b) {
      // In one order, whatever the versions are called.
      let (first, second) = b.lexicographicallyPrecedes(a) ? (b, a) : (a, b)
      self.init(NormalizedTexts(base: base, first, second))
    } else {
      self.init(bytes: isPreferred(a, over: b) ? a : b)
    }
  }

  /// Whether a version can be merged with another: it is UTF-8 and not damaged. Where both versions
  /// changed and one cannot, the caller keeps both files.
  package static func canMerge(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
      && !hasExcessiveMarks(bytes)
  }

  private init(bytes: [UInt8], hasConflict: Bool = false) {
    self.bytes = bytes
    self.hasConflict = hasConflict
  }

  private init(_ texts: NormalizedTexts) {
    // A version that only converted the file is the base by now.
    if texts.a == texts.b || texts.base == texts.b {
      self.init(bytes: texts.byteOrderMark + texts.a)
      return
    }
    if texts.base == texts.a {
      self.init(bytes: texts.byteOrderMark + texts.b)
      return
    }
    let (base, a, b) = (EntryText(texts.base ?? []), EntryText(texts.a), EntryText(texts.b))
    let header = MergedHeader(base: texts.base == nil ? nil : base, a, b, newline: texts.newline)
    let bodies = [base, a, b].map { Array($0.bytes[$0.bodyRange]) }
    let body: [UInt8]
    var hasConflict = header.hasConflict
    if bodies[1] == bodies[2] || bodies[0] == bodies[2] {
      body = bodies[1]
    } else if bodies[0] == bodies[1] {
      body = bodies[2]
    } else {
      let merge = MergedBody(base: bodies[0], bodies[1], bodies[2], newline: texts.newline)
      body = merge.bytes
      hasConflict = hasConflict || merge.needsReview
    }
    self.init(bytes: texts.byteOrderMark + header.text(followedBy: body), hasConflict: hasConflict)
  }
}
