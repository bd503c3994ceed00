/// The content of the carrier's file of refs: what the remote's refs are, and which state of the carrier
/// they belong to. Its author is whoever knows the key.
struct CarrierRefs: Equatable {
  /// The carrier's id, the same in all its commits.
  var carrier: String
  /// One more than the number of the parent.
  var number: Int
  /// The commit before; `nil` in the first.
  var parent: String?
  /// The tree with the bundles; `nil` if there is none.
  var bundles: String?
  /// The branch that `HEAD` names.
  var head: RefName
  /// The object of each ref.
  var refs: [RefName: String]

  private static let format = "diary-sealed 1"
  private static let none = "none"

  var text: String {
    let lines = [
      Self.format, "carrier \(carrier)", "number \(number)", "parent \(parent ?? Self.none)",
      "bundles \(bundles ?? Self.none)", "head \(head.text)",
    ]
    let list = refs.sorted { $0.key < $1.key }.map { "ref \($0.value) \($0.key.text)" }
    return (lines + list).map { $0 + "\n" }.joined()
  }

  init(
    carrier: String, number: Int, parent: String?, bundles: String?, head: RefName,
    refs: [RefName: String]
  ) {
    self.carrier = carrier
    self.number = number
    self.parent = parent
    self.bundles = bundles
    self.head = head
    self.refs = refs
  }

  /// Reads the text; `nil` unless it is exactly of this format.
  init?(_ text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)[...]
    guard lines.popLast() == "", lines.popFirst().map(String.init) == Self.format else {
      return nil
    }
    func value(_ name: String) -> String? {
      guard let line = lines.popFirst(), line.hasPrefix(name + " ") else { return nil }
      return String(line.dropFirst(name.count + 1))
    }
    guard let carrier = value("carrier"), !carrier.isEmpty,
      let number = value("number").flatMap({ Int($0) }), number > 0,
      let parent = value("parent"), parent == Self.none || parent.isObjectID,
      let bundles = value("bundles"), bundles == Self.none || bundles.isObjectID,
      let head = value("head"), head.isRefName
    else { return nil }
    var refs: [RefName: String] = [:]
    for line in lines {
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      guard words.count == 3, words[0] == "ref", words[1].isObjectID, words[2].isRefName,
        refs.updateValue(words[1], forKey: RefName(words[2])) == nil
      else { return nil }
    }
    self.init(
      carrier: carrier, number: number, parent: parent == Self.none ? nil : parent,
      bundles: bundles == Self.none ? nil : bundles, head: RefName(head), refs: refs)
  }
}

/// The full name of a ref. git compares names by their bytes: composed and decomposed characters make two.
struct RefName: Hashable, Comparable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (one: RefName, other: RefName) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8)
  }

  static func < (one: RefName, other: RefName) -> Bool {
    one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }

  func hash(into hasher: inout Hasher) { hasher.combine(Array(text.utf8)) }

  var isBranch: Bool { isBelow("refs/heads") }

  /// The folders of names that it is in: `refs/heads/a` and `refs/heads` of `refs/heads/a/b`.
  var folders: [RefName] {
    let bytes = Array(text.utf8)
    return bytes.indices.dropFirst().filter { bytes[$0] == UInt8(ascii: "/") }.map {
      RefName(String(decoding: bytes[..<$0], as: UTF8.self))
    }
  }

  /// True if the name is in a folder of names.
  func isBelow(_ folder: String) -> Bool { text.utf8.starts(with: (folder + "/").utf8) }
}

extension String {
  /// True for 40 hexadecimal digits in lower case.
  var isObjectID: Bool {
    utf8.count == 40 && utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  /// True for a full name of a ref that every git accepts (`git-check-ref-format(1)`).
  var isRefName: Bool {
    let parts = split(separator: "/", omittingEmptySubsequences: false)
    return parts.count > 1 && parts[0] == "refs"
      && parts.allSatisfy { !$0.isEmpty && !$0.hasPrefix(".") && !$0.hasSuffix(".lock") }
      && !utf8.contains { $0 <= 32 || $0 == 127 || "~^:?*[\\".utf8.contains($0) }
      && !contains("..") && !contains("@{") && !hasSuffix(".")
  }
}
