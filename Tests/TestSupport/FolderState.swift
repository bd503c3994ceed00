import Foundation
import Glibc

extension Sandbox {
  /// The kind, inode, mode, times, and bytes or link target of each file in a folder, by path.
  public func state(of folder: String, except excluded: Set<String> = []) -> [String: String] {
    let root = homePath + "/" + folder
    let all = FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []
    var state: [String: String] = [:]
    for name in all + ["."] where !excluded.contains(name) {
      let path = root + "/" + name
      var status = stat()
      guard lstat(path, &status) == 0 else { continue }
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
      let bytes =
        status.st_mode & S_IFMT == S_IFREG ? FileManager.default.contents(atPath: path) : nil
      state[name] =
        "\(status.st_mode) \(status.st_ino) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) "
        + "\(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec) \(target ?? "") "
        + (bytes?.base64EncodedString() ?? "")
    }
    return state
  }

  /// The paths at which two states of a folder differ.
  public static func differences(_ one: [String: String], _ other: [String: String]) -> [String] {
    Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }.sorted()
  }
}
