import DiaryCore
import GRDB

/// A print of all that a walk saw, so that a folder in which nothing changed is known at one look,
/// without a comparison row by row. 128 bits: two different walks never have the same in practice.
public struct FilesPrint {
  private var lanes: (UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F)

  /// `files` ordered by path.
  public init(_ files: [IndexedFile]) {
    for file in files {
      file.path.bytes.withUnsafeBytes { bytes in
        add(UInt64(bytes.count))
        var at = 0
        while at + 8 <= bytes.count {
          add(bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
          at += 8
        }
        add(bytes[at...].reduce(0) { $0 << 8 | UInt64($1) })
      }
      add(UInt64(bitPattern: file.stamp.size))
      add(UInt64(bitPattern: file.stamp.modified))
      add(file.stamp.inode)
      add(UInt64(file.stamp.mode))
    }
  }

  private mutating func add(_ word: UInt64) {
    func mixed(_ value: UInt64, _ factor: UInt64) -> UInt64 {
      let product = value.multipliedFullWidth(by: factor)
      return product.high ^ product.low
    }
    lanes = (
      mixed(lanes.0 ^ word, 0xA076_1D64_78BD_642F) &+ word,
      mixed(lanes.1 &+ word, 0xE703_7ED1_A0B4_28DB) ^ word
    )
  }

  /// What the rows were when somebody asked, and whether this walk was the one that they told of.
  struct Knowledge {
    fileprivate let rows: String
    let holds: Bool
  }

  /// Whether the rows are exactly what this walk saw; true only after a whole comparison found so
  /// and trusted every stamp, with no row changed since.
  func isKnown(_ database: Database) throws -> Knowledge {
    let rows = try Schema.fact(database, Schema.Counter.files.rawValue) ?? ""
    return Knowledge(rows: rows, holds: try Schema.fact(database, "walk") == text(rows))
  }

  /// Remembers that a comparison with the rows of `knowledge` found no difference.
  func remember(_ database: Database, _ knowledge: Knowledge) throws {
    try Schema.setFact(database, "walk", text(knowledge.rows))
  }

  private func text(_ rows: String) -> String { rows + " " + text }

  /// The print as a text to be kept.
  public var text: String { "\(lanes.0) \(lanes.1)" }
}
