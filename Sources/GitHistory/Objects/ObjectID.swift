import CLibgit2
import DiaryCore

/// The id of a git object: the SHA-1 of its content, as a value without heap memory.
package struct ObjectID: Hashable, Sendable {
  private let first: UInt64
  private let second: UInt64
  private let third: UInt32

  /// Creates an id from twenty bytes; `nil` for any other number.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 20 else { return nil }
    self.init(twenty: bytes[...])
  }

  /// Creates an id from forty hexadecimal digits.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == 40 else { return nil }
    var id = git_oid()
    guard git_oid_fromstr(&id, String(text)) >= 0 else { return nil }
    self.init(id)
  }

  /// Computes the id of bytes as an object, on any thread, without writing the object.
  init(of bytes: [UInt8], as type: git_object_t = GIT_OBJECT_BLOB) throws(GitError) {
    var id = git_oid()
    try GitError.check(git_odb_hash(&id, bytes, bytes.count, type), "name", "an object")
    self.init(id)
  }

  /// Creates an id from a slice of twenty bytes.
  init(twenty bytes: ArraySlice<UInt8>) {
    var id = git_oid()
    withUnsafeMutableBytes(of: &id) { $0.copyBytes(from: bytes) }
    self.init(id)
  }

  /// Creates an id from the twenty bytes at `bytes`.
  init(_ bytes: UnsafeRawPointer) {
    first = bytes.loadUnaligned(as: UInt64.self)
    second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    third = bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
  }

  /// Creates an id from the first forty bytes, or `nil` if they are not hexadecimal digits.
  init?(hex: UnsafeBufferPointer<UInt8>) {
    var id = git_oid()
    let code = hex.withMemoryRebound(to: CChar.self) {
      git_oid_fromstrn(&id, $0.baseAddress, min($0.count, 40))
    }
    guard code >= 0, hex.count >= 40 else { return nil }
    self.init(id)
  }

  init(_ id: git_oid) {
    (first, second, third) = withUnsafeBytes(of: id) { bytes in
      (
        bytes.loadUnaligned(as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self),
        bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
      )
    }
  }

  /// The twenty bytes.
  package var bytes: [UInt8] { withUnsafeBytes(of: raw) { Array($0) } }

  var raw: git_oid {
    var id = git_oid()
    withUnsafeMutableBytes(of: &id) { bytes in
      bytes.storeBytes(of: first, as: UInt64.self)
      bytes.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
      bytes.storeBytes(of: third, toByteOffset: 16, as: UInt32.self)
    }
    return id
  }

  /// Hashes the first bytes only: they are a hash already.
  package func hash(into hasher: inout Hasher) { hasher.combine(first) }
}

extension ObjectID: CustomStringConvertible {
  /// The forty hexadecimal digits.
  package var description: String { hexadecimal(bytes) }

  /// The first seven digits, for display.
  package var short: String { String(description.prefix(7)) }
}

extension ObjectID: Comparable {
  /// Compares by bytes, which is the order of the digits.
  package static func < (left: ObjectID, right: ObjectID) -> Bool {
    (UInt64(bigEndian: left.first), UInt64(bigEndian: left.second), UInt32(bigEndian: left.third))
      < (
        UInt64(bigEndian: right.first), UInt64(bigEndian: right.second),
        UInt32(bigEndian: right.third)
      )
  }
}

/// The id of a commit.
package typealias CommitID = ObjectID
