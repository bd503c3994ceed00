import CLinux
import Glibc

/// One name in a folder, as the kernel lists it.
struct ListedName {
  var name: [UInt8]
  /// `DT_REG`, `DT_DIR` and so on; `DT_UNKNOWN` where the file system does not tell.
  var kind: UInt8
}

/// All names in an open folder but `.` and `..`, in no order; `nil` with `errno` when it cannot be
/// listed. `readdir` would make a stream and a copy of 280 bytes for each name.
func listFolder(_ folder: Int32) -> [ListedName]? {
  var names: [ListedName] = []
  let isRead = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { buffer in
    while true {
      let filled = retrying { diary_getdents(folder, buffer.baseAddress, UInt32(buffer.count)) }
      if filled <= 0 { return filled == 0 }
      var at = 0
      while at < filled {
        // struct linux_dirent64: inode 8, offset 8, length of the record 2, kind 1, name.
        let length = Int(buffer.loadUnaligned(fromByteOffset: at + 16, as: UInt16.self))
        let name = buffer[(at + 19)..<(at + length)].prefix { $0 != 0 }
        if !isDots(name) {
          names.append(ListedName(name: Array(name), kind: buffer[at + 18]))
        }
        at += length
      }
    }
  }
  return isRead ? names : nil
}

private func isDots(_ name: Slice<UnsafeMutableRawBufferPointer>) -> Bool {
  name.count <= 2 && name.allSatisfy { $0 == UInt8(ascii: ".") }
}
