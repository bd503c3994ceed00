import Foundation
import Glibc
import Localization

/// The address of the host, without `diary::`.
struct HostAddress: Equatable {
  /// As git gets it; a folder is absolute.
  let text: String

  /// - Parameter currentFolder: the folder that a relative path starts from.
  init(_ address: String, currentFolder: String) throws(SealedError) {
    guard !address.isEmpty, !address.hasPrefix("-"), !address.hasPrefix("diary:"),
      !address.utf8.contains(where: { $0 < 32 || $0 == 127 })
    else {
      throw SealedError(
        localized("\"\(address)\" is not an address of a sealed remote"),
        hint: localized("it is `diary::` and any address that git accepts"))
    }
    let isRelative = Self.isFolder(address) && !address.hasPrefix("/") && !address.contains("://")
    text = isRelative ? "\(currentFolder)/\(address)" : address
  }

  /// The remote's name on this device: the beginning of a digest of its address.
  func id(_ git: GitRunner) throws(SealedError) -> String {
    String(try git.line(["hash-object", "--stdin"], input: Array(text.utf8)).prefix(16))
  }

  /// True if the host is a folder of this machine.
  var isFolder: Bool { Self.isFolder(text) }

  /// Syncs the folders of a repository on this machine, in which a push makes names. git syncs only the
  /// files themselves. The names of objects come first: no ref may lead to one that a power cut takes.
  func syncFolders() {
    // The suffixes with which git looks for a repository (`enter_repo` in git's path.c).
    guard
      let root = ["/.git", "", ".git/.git", ".git"].map({ path + $0 }).first(where: {
        access($0 + "/objects", F_OK) == 0
      })
    else { return }
    let objects = (try? FileManager.default.contentsOfDirectory(atPath: root + "/objects")) ?? []
    for name in objects.map({ "objects/" + $0 }) + ["objects", "refs/heads", "refs", "."] {
      let folder = open("\(root)/\(name)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard folder >= 0 else { continue }
      fsync(folder)
      close(folder)
    }
  }

  /// The folder as git reads it: a URL has percent signs.
  private var path: String {
    guard text.hasPrefix("file://") else { return text }
    let rest = text.dropFirst("file://".count)
    // A host's name is ignored.
    let path = String(rest[(rest.firstIndex(of: "/") ?? rest.startIndex)...])
    return path.removingPercentEncoding ?? path
  }

  /// git's rule: an address with a colon before its first slash is remote.
  private static func isFolder(_ address: String) -> Bool {
    address.hasPrefix("file://") || !address.prefix { $0 != "/" }.contains(":")
  }
}
