import CLibgit2

/// The name of a git object: the SHA-1 of what it holds.
public struct ObjectID: Hashable, Sendable {
  /// Twenty bytes.
  public let bytes: [UInt8]

  /// An id from twenty bytes; `nil` for any other number of them.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 20 else { return nil }
    self.bytes = bytes
  }

  /// An id from forty hexadecimal digits.
  public init?(_ text: some StringProtocol) {
    let digits = text.utf8.compactMap { Self.value(ofDigit: $0) }
    guard digits.count == 40, text.utf8.count == 40 else { return nil }
    bytes = (0..<20).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] }
  }

  /// The bytes are a hash already.
  public func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine($0.loadUnaligned(as: UInt64.self)) }
  }

  /// The id that bytes have as a blob, asked on any thread; `nil` when libgit2 cannot tell.
  init?(ofBlob bytes: [UInt8]) {
    var id = git_oid()
    guard git_odb_hash(&id, bytes, bytes.count, GIT_OBJECT_BLOB) >= 0 else { return nil }
    self.init(id)
  }

  /// An id from a slice of which the caller knows that it has twenty bytes.
  init(twenty bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

  init(_ id: git_oid) { bytes = withUnsafeBytes(of: id) { Array($0) } }

  var raw: git_oid {
    var id = git_oid()
    withUnsafeMutableBytes(of: &id) { $0.copyBytes(from: bytes) }
    return id
  }

  private static func value(ofDigit byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension ObjectID: CustomStringConvertible {
  /// Forty hexadecimal digits.
  public var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The first seven digits, for eyes.
  public var short: String { String(description.prefix(7)) }
}

/// The id of a commit.
public typealias CommitID = ObjectID
