/// The part of a file that a `Range` field requests (RFC 9110, 14.2). Only a single range is
/// supported; any other field is ignored.
enum ByteRange: Equatable {
  case all
  case part(Range<Int>)
  /// The range starts after the end of the file.
  case unsatisfiable

  init(_ field: String?, size: Int) {
    self = .all
    guard let field, field.hasPrefix("bytes="), !field.contains(",") else { return }
    let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let end = ends[1].isEmpty ? .max : Int(ends[1].prefix(18))
    else { return }
    if ends[0].isEmpty {
      guard !ends[1].isEmpty else { return }
      self = end == 0 || size == 0 ? .unsatisfiable : .part(max(0, size - end)..<size)
    } else if let start = Int(ends[0].prefix(18)), start <= end {
      self = start >= size ? .unsatisfiable : .part(start..<min(end, size - 1) + 1)
    }
  }
}
