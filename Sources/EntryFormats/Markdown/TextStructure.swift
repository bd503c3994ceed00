import Localization

/// The number of elements of each kind in a text.
package struct TextStructure: Sendable, Equatable {
  package var headings = 0
  package var items = 0
  package var rows = 0
  /// Links with other words than their address, which Markdown links without any mark.
  package var links = 0
  package var pictures = 0
  package var codeBlocks = 0

  package init() {}

  /// Counts the elements of a Markdown text.
  init(markdown: String) {
    var target: String?
    var words = ""
    for event in MarkdownText(markdown).events {
      switch (event.node, event.isStart) {
      case (.heading, true): headings += 1
      case (.item, true): items += 1
      case (.row, true): rows += 1
      case (.image, true): pictures += 1
      case (.code, true): codeBlocks += 1
      case (.link(let address), true): (target, words) = (address, "")
      case (.link, false):
        if let target, ![words, "mailto:" + words, "http://" + words].contains(target) {
          links += 1
        }
        target = nil
      case (.text(let text), _), (.codeSpan(let text), _): if target != nil { words += text }
      default: break
      }
    }
  }

  package static func + (left: TextStructure, right: TextStructure) -> TextStructure {
    var sum = TextStructure()
    for part in parts { sum[keyPath: part] = left[keyPath: part] + right[keyPath: part] }
    return sum
  }

  private static var parts: [WritableKeyPath<TextStructure, Int>] {
    [\.headings, \.items, \.rows, \.links, \.pictures, \.codeBlocks]
  }

  /// The counts in words, such as `3 headings, 2 links`: those that are not 0 in both structures,
  /// or with `onlyDifferent` those that differ. Pictures are named only if they differ.
  package func text(besides other: TextStructure, onlyDifferent: Bool = false) -> String {
    func isNamed(_ part: KeyPath<TextStructure, Int>) -> Bool {
      let (count, otherCount) = (self[keyPath: part], other[keyPath: part])
      let isSame = count == otherCount
      return onlyDifferent || part == \.pictures ? !isSame : count > 0 || otherCount > 0
    }
    var counts: [String] = []
    if isNamed(\.headings) { counts.append(counted(headings, "heading", "headings")) }
    if isNamed(\.items) { counts.append(counted(items, "list item", "list items")) }
    if isNamed(\.rows) { counts.append(counted(rows, "table row", "table rows")) }
    if isNamed(\.links) { counts.append(counted(links, "link", "links")) }
    if isNamed(\.pictures) {
      counts.append(counted(pictures, "picture in the text", "pictures in the text"))
    }
    if isNamed(\.codeBlocks) { counts.append(counted(codeBlocks, "code block", "code blocks")) }
    return counts.joined(separator: ", ")
  }
}

/// The structure of a text in another program's markup, and of the Markdown that was made from it.
package struct StructureComparison: Sendable, Equatable {
  package let source: TextStructure
  package let markdown: TextStructure

  /// A link across two paragraphs is two links in Markdown, and an address is a link by itself, so
  /// more links are no difference.
  init(source: TextStructure, markdown: String) {
    var structure = TextStructure(markdown: markdown)
    structure.links = min(structure.links, source.links)
    (self.source, self.markdown) = (source, structure)
  }
}
