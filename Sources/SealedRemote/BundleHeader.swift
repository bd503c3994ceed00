/// The head of a git bundle (`gitformat-bundle(5)`): the commits that a reader must have, and the objects
/// that it brings.
struct BundleHeader: Equatable {
  var prerequisites: [String]
  /// The tips, each with the name of a ref that had it.
  var tips: [(object: String, name: String)]

  private static let signature = "# v2 git bundle"

  static func == (one: BundleHeader, other: BundleHeader) -> Bool { one.text == other.text }

  var text: String {
    let lines =
      [Self.signature] + prerequisites.map { "-\($0) " } + tips.map { "\($0.object) \($0.name)" }
    return lines.map { $0 + "\n" }.joined() + "\n"
  }

  init(prerequisites: [String], tips: [(object: String, name: String)]) {
    self.prerequisites = prerequisites
    self.tips = tips
  }

  /// Reads the head of a bundle, and returns its length, too; `nil` if it is none.
  static func read(_ bytes: [UInt8]) -> (header: BundleHeader, length: Int)? {
    var header = BundleHeader(prerequisites: [], tips: [])
    var start = 0
    while let end = bytes[start...].firstIndex(of: 10) {
      let line = String(decoding: bytes[start..<end], as: UTF8.self)
      let isFirst = start == 0
      start = end + 1
      if isFirst {
        guard line == signature else { return nil }
      } else if line.isEmpty {
        return header.tips.isEmpty ? nil : (header, start)
      } else if line.hasPrefix("-") {
        let object = String(line.dropFirst().prefix(40))
        guard object.isObjectID else { return nil }
        header.prerequisites.append(object)
      } else {
        let (object, name) = (String(line.prefix(40)), String(line.dropFirst(41)))
        guard object.isObjectID, name.isRefName else { return nil }
        header.tips.append((object, name))
      }
    }
    return nil
  }
}
