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
    let path = text.hasPrefix("file://") ? String(text.dropFirst("file://".count)) : text
    let root = access(path + "/objects", F_OK) == 0 ? path : path + "/.git"
    let objects = (try? FileManager.default.contentsOfDirectory(atPath: root + "/objects")) ?? []
    for name in objects.map({ "objects/" + $0 }) + ["objects", "refs/heads", "refs", "."] {
      let folder = open("\(root)/\(name)", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard folder >= 0 else { continue }
      fsync(folder)
      close(folder)
    }
  }

  /// git's rule: an address with a colon before its first slash is remote.
  private static func isFolder(_ address: String) -> Bool {
    address.hasPrefix("file://") || !address.prefix { $0 != "/" }.contains(":")
  }
}
