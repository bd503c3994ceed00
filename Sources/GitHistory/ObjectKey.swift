import CLibgit2

/// An object's name as a value without memory of its own: a walk compares a hundred thousand.
struct ObjectKey: Hashable {
  private let first: UInt64
  private let second: UInt64
  private let third: UInt32

  /// From the twenty bytes at `bytes`.
  init(_ bytes: UnsafeRawPointer) {
    first = bytes.loadUnaligned(as: UInt64.self)
    second = bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
    third = bytes.loadUnaligned(fromByteOffset: 16, as: UInt32.self)
  }

  init(_ id: ObjectID) { self.init(id.raw) }

  init(_ id: git_oid) {
    var id = id
    self = withUnsafePointer(to: &id) { ObjectKey(UnsafeRawPointer($0)) }
  }

  /// From forty hexadecimal digits.
  init?(hex: UnsafeBufferPointer<UInt8>) {
    var id = git_oid()
    let code = hex.withMemoryRebound(to: CChar.self) {
      git_oid_fromstrn(&id, $0.baseAddress, min($0.count, 40))
    }
    guard code >= 0, hex.count >= 40 else { return nil }
    self.init(id)
  }

  var id: ObjectID { ObjectID(raw) }

  var raw: git_oid {
    var id = git_oid()
    withUnsafeMutableBytes(of: &id) { bytes in
      bytes.storeBytes(of: first, as: UInt64.self)
      bytes.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
      bytes.storeBytes(of: third, toByteOffset: 16, as: UInt32.self)
    }
    return id
  }

  // The bytes are a hash already.
  func hash(into hasher: inout Hasher) { hasher.combine(first) }
}
