import Glibc

/// The file of the program that this process runs: an upgrade puts another one in its place.
package struct ProgramFile: Sendable {
  package let path: String
  private let device: UInt
  private let inode: UInt

  /// The program that stands at the path now; `nil` where there is none.
  package init?(at path: String) {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    self.path = path
    (device, inode) = (UInt(found.st_dev), UInt(found.st_ino))
  }

  /// Whether another program stands there by now. One that was removed is not another.
  var isReplaced: Bool {
    guard let now = ProgramFile(at: path) else { return false }
    return now.device != device || now.inode != inode
  }
}
