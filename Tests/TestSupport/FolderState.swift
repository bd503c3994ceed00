import Foundation
import Glibc

extension Sandbox {
  /// Everything in a folder, hidden or not: by path its kind, inode, mode, times, and bytes or target.
  public func state(of folder: String, except left: Set<String> = []) -> [String: String] {
    let root = home + "/" + folder
    let all = FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []
    var state: [String: String] = [:]
    for name in all + ["."] where !left.contains(name) {
      let path = root + "/" + name
      var facts = stat()
      guard lstat(path, &facts) == 0 else { continue }
      let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
      let bytes =
        facts.st_mode & S_IFMT == S_IFREG ? FileManager.default.contents(atPath: path) : nil
      state[name] =
        "\(facts.st_mode) \(facts.st_ino) \(facts.st_mtim.tv_sec).\(facts.st_mtim.tv_nsec) "
        + "\(facts.st_ctim.tv_sec).\(facts.st_ctim.tv_nsec) \(target ?? "") "
        + (bytes?.base64EncodedString() ?? "")
    }
    return state
  }

  /// The paths that differ between two states of a folder.
  public static func differences(_ one: [String: String], _ other: [String: String]) -> [String] {
    Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }.sorted()
  }
}
