import Foundation
import GRDB

/// What is remembered of the walk that the rows were last compared with: the print of each run of
/// files whose rows were found to be exactly what that walk saw, every stamp trusted.
struct KnownRuns {
  private struct Known {
    let start: UInt64
    /// (0, 0), which no run has, where something had changed.
    let print: (UInt64, UInt64)
  }

  /// `nil` while nothing is remembered of the rows that there are.
  private let known: [Known]?
}

extension KnownRuns {
  /// What was remembered of the rows that there are; nothing when any was changed since.
  init(_ database: Database) throws {
    let row = try DirectStatement(
      database, sql: "SELECT prints FROM compared WHERE rows = ?",
      [try FilesPrint.rows(database).databaseValue])
    guard try row.next(), !row.isNull(0) else {
      known = nil
      return
    }
    let prints = try row.bytes(0)
    func word(_ at: Int) -> UInt64 { prints.loadUnaligned(fromByteOffset: at, as: UInt64.self) }
    known = stride(from: 0, to: prints.count - prints.count % 24, by: 24).map { at in
      Known(start: word(at), print: (word(at + 8), word(at + 16)))
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
      guard let place = places[run.start], place >= nextKnown,
        known[place].print == run.print.lanes
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

  /// How often rows were changed, as the fact says it.
  fileprivate static func rows(_ database: Database) throws -> String {
    try Schema.fact(database, Schema.Counter.files.rawValue) ?? ""
  }

  /// Whether the rows are exactly what this walk saw; true only after a whole comparison found so
  /// and trusted every stamp, with no row changed since.
  func isKnown(_ database: Database) throws -> Bool {
    try String.fetchOne(
      database, sql: "SELECT walk FROM compared WHERE rows = ?",
      arguments: [FilesPrint.rows(database)]) == text
  }

  /// Remembers that the rows are what this walk saw, but for those runs.
  func remember(_ database: Database, except differing: Set<Int>) throws {
    try database.execute(sql: "DELETE FROM compared")
    let words = runs.enumerated().flatMap { number, run in
      let print = differing.contains(number) ? (0, 0) : run.print.lanes
      return [run.start, print.0, print.1]
    }
    // With no file at all there is no run that what is left in the index could belong to.
    let prints = runs.isEmpty && !differing.isEmpty ? nil : words.withUnsafeBytes { Data($0) }
    try database.execute(
      sql: "INSERT INTO compared(rows, walk, prints) VALUES(?, ?, ?)",
      arguments: [FilesPrint.rows(database), differing.isEmpty ? text : nil, prints])
  }
}
