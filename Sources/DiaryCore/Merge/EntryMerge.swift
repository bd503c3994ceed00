// The three-way merge of an entry is a function of three texts: clock, device and commit order have
// no influence, and the two versions may be exchanged. It reads no files and does not use git.
// docs/merge.md describes the rules.

/// The result of merging two versions of one text.
package struct EntryMerge: Hashable, Sendable {
  /// The merged text.
  package let bytes: [UInt8]
  /// True if the user should review the result: it contains two versions of something, or something
  /// that one version removed.
  package let hasConflict: Bool

  /// Merges two versions. `base` is their common ancestor, or `nil` for two new files with one path
  /// and day. If both sides changed and one is not mergeable text (``canMerge(_:)``), the result is
  /// one of the two versions, unchanged.
  package init(base: [UInt8]?, _ a: [UInt8], _ b: [UInt8]) {
    if a == b || base == b {
      self.init(bytes: a)
    } else if base == a {
      self.init(bytes: b)
    } else if EntryMerge.canMerge(a), EntryMerge.canMerge(b) {
      // Sort the versions, so that the order of the arguments has no influence.
      let (first, second) = b.lexicographicallyPrecedes(a) ? (b, a) : (a, b)
      self.init(NormalizedTexts(base: base, first, second))
    } else {
      self.init(bytes: isPreferred(a, over: b) ? a : b)
    }
  }

  /// True if a version can be merged: it is UTF-8 and not damaged. If both sides changed and one
  /// version cannot be merged, the caller keeps both files.
  package static func canMerge(_ bytes: [UInt8]) -> Bool {
    String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
      && !hasExcessiveMarks(bytes)
  }

  init(bytes: [UInt8], hasConflict: Bool = false) {
    self.bytes = bytes
    self.hasConflict = hasConflict
  }

  private init(_ texts: NormalizedTexts) {
    // A version that changed only line ends or the byte order mark is now equal to the base.
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
    let bodies = [base, a, b].map { Array($0.bodyBytes) }
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
