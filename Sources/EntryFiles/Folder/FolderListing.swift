import CLinux
import Glibc

/// A name in a folder, as listed by the kernel.
struct ListedName {
  var name: [UInt8]
  /// `DT_REG`, `DT_DIR` and so on; `DT_UNKNOWN` if the file system does not report it.
  var kind: UInt8
}

/// The names in an open folder except `.` and `..`, in no order; `nil` with `errno` on failure.
/// `readdir` would need a stream and a copy of 280 bytes for each name.
func listFolder(_ folder: Int32) -> [ListedName]? {
  var names: [ListedName] = []
  let isRead = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
    while true {
      let byteCount = retryOnInterrupt {
        diary_getdents(folder, buffer.baseAddress, UInt32(buffer.count))
      }
      if byteCount <= 0 { return byteCount == 0 }
      var offset = 0
      while offset < byteCount {
        // struct linux_dirent64: inode 8, offset 8, length of the record 2, kind 1, name.
        let length = Int(buffer.loadUnaligned(fromByteOffset: offset + 16, as: UInt16.self))
        let name = buffer[(offset + 19)..<(offset + length)].prefix { $0 != 0 }
        if !isDots(name) {
          names.append(ListedName(name: Array(name), kind: buffer[offset + 18]))
        }
        offset += length
      }
    }
  }
  return isRead ? names : nil
}

private func isDots(_ name: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
  name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
}
