import Foundation
import Glibc
import Localization

/// The newest state of the carrier that this device has seen. Without it the device believes the next
/// state that the host offers.
struct SeenState: Equatable {
  var commit: String
  var number: Int
  var carrier: String

  init(commit: String, number: Int, carrier: String) {
    self.commit = commit
    self.number = number
    self.carrier = carrier
  }

  init?(at path: String) {
    let words = (try? String(contentsOfFile: path, encoding: .utf8))?.split(separator: " ") ?? []
    guard words.count == 3, String(words[0]).isObjectID, let number = Int(words[1]) else {
      return nil
    }
    self.init(
      commit: String(words[0]), number: number,
      carrier: words[2].trimmingCharacters(in: .newlines))
  }

  func write(to path: String) throws(SealedError) {
    if SeenState(at: path) == self { return }
    let file = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    defer { close(file) }
    guard file >= 0, file.writeAll("\(commit) \(number) \(carrier)\n".utf8), fsync(file) == 0,
      rename(path + ".new", path) == 0
    else { throw SealedError.system(localized("cannot write \(path)")) }
  }

  /// The error that the host no longer has this state; `offered` is what it has.
  func lost(_ offered: CarrierRefs?) -> SealedError {
    let what =
      offered == nil
      ? localized("the host is empty, and had \(number) pushes of this sealed remote")
      : offered?.carrier != carrier
        ? localized("the host offers another sealed remote than before")
        : localized(
          "the host offers an older or another state of this sealed remote: push \(offered?.number ?? 0), "
            + "and push \(number) was seen there")
    return SealedError(
      what,
      hint: localized(
        "nothing was changed here; to take what is there and push what this device has on top: "
          + "`diary sync --accept-rewritten`, or git's own fetch and push, each with "
          + "`git -c diary.acceptRewritten=true`"))
  }
}
