import Glibc

/// The executable file of this process. An upgrade replaces it.
package struct ProgramFile: Sendable {
  package let path: String
  private let device: UInt
  private let inode: UInt

  /// Reads the file at the path; `nil` if there is none.
  package init?(at path: String) {
    var found = stat()
    guard stat(path, &found) == 0 else { return nil }
    self.path = path
    (device, inode) = (UInt(found.st_dev), UInt(found.st_ino))
  }

  /// True if another file is at the path now. A removed file does not count.
  var isReplaced: Bool {
    guard let now = ProgramFile(at: path) else { return false }
    return now.device != device || now.inode != inode
  }

  /// True if another program file has replaced this one, and can run.
  func hasSuccessor(_ runner: ProcessRunner) async -> Bool {
    guard isReplaced else { return false }
    let answer = try? await runner.run([path, "--version"], input: [], timeout: 10)
    return answer?.status == 0
  }
}
