import Foundation
import GRDB

/// What is remembered of the walk that the rows were last compared with: the print of each run of
/// files whose rows were found to be exactly what that walk saw, every stamp trusted.
struct KnownRuns {
  private struct Known {
    let start: UInt64
    /// `nil` for a run in which something had changed.
    let print: (UInt64, UInt64)?
  }

  /// `nil` while nothing is remembered of the rows that there are.
  private let known: [Known]?
}

extension KnownRuns {
  /// What was remembered of the rows that there are; nothing when any was changed since.
  init(_ database: Database) throws {
    let rows = try Schema.fact(database, Schema.Counter.files.rawValue) ?? ""
    let row = try DirectStatement(
      database, sql: "SELECT prints FROM compared WHERE rows = ?", [rows.databaseValue])
    guard try row.next(), !row.isNull(0) else {
      known = nil
      return
    }
    let words = try row.bytes(0).withMemoryRebound(to: UInt8.self) { bytes in
      stride(from: 0, to: bytes.count - bytes.count % 24, by: 8).map {
        UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: $0, as: UInt64.self)
      }
    }
    known = stride(from: 0, to: words.count, by: 3).map { at in
      let print = (words[at + 1], words[at + 2])
      return Known(start: words[at], print: print == (0, 0) ? nil : print)
    }
  }

  /// The files of a walk where it saw anything else than what is remembered: with the rows between
  /// the files around them, these have to be compared. Empty where a whole run is gone.
  func stretches(_ seen: FilesPrint) -> [Range<Int>] {
    guard let known else { return [0..<seen.count] }
    let places = Dictionary(
      known.enumerated().map { ($1.start, $0) }, uniquingKeysWith: { first, _ in first })
    var found: [Range<Int>] = []
    // The first run that is not known to be unchanged, and the first that is remembered beside it.
    var (next, nextKnown) = (0, 0)
    func end(at run: Int, _ knownRun: Int) {
      guard next < run || nextKnown < knownRun else { return }
      found.append(seen.place(of: next)..<seen.place(of: run))
    }
    for (number, run) in seen.runs.enumerated() {
      guard let place = places[run.start], place >= nextKnown, let print = known[place].print,
        print == run.print.lanes
      else { continue }
      end(at: number, place)
      (next, nextKnown) = (number + 1, place + 1)
    }
    end(at: seen.runs.count, known.count)
    return found
  }
}

extension FilesPrint {
  fileprivate func place(of run: Int) -> Int { run < runs.count ? runs[run].first : count }

  /// Whether the rows are exactly what this walk saw; true only after a whole comparison found so
  /// and trusted every stamp, with no row changed since.
  func isKnown(_ database: Database) throws -> Bool {
    let rows = try Schema.fact(database, Schema.Counter.files.rawValue) ?? ""
    return try String.fetchOne(
      database, sql: "SELECT walk FROM compared WHERE rows = ?", arguments: [rows]) == text
  }

  /// Remembers that the rows are what this walk saw, but for those runs.
  func remember(_ database: Database, except differing: Set<Int>) throws {
    try database.execute(sql: "DELETE FROM compared")
    let rows = try Schema.fact(database, Schema.Counter.files.rawValue) ?? ""
    let words = runs.enumerated().flatMap { number, run in
      let print = differing.contains(number) ? (0, 0) : run.print.lanes
      return [run.start, print.0, print.1]
    }
    // With no file at all there is no run that what is left in the index could belong to.
    let prints = runs.isEmpty && !differing.isEmpty ? nil : words.withUnsafeBytes { Data($0) }
    try database.execute(
      sql: "INSERT INTO compared(rows, walk, prints) VALUES(?, ?, ?)",
      arguments: [rows, differing.isEmpty ? text : nil, prints])
  }
}
