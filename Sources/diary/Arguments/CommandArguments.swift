import DiaryKit
import Glibc
import Localization

/// The arguments of this process.
package enum CommandArguments {
  /// The name by which the program was called, without its folder.
  package static var programName: String {
    let path = rawArguments.map { String(decoding: $0.first ?? [], as: UTF8.self) }
    return (path ?? CommandLine.arguments.first ?? "").split(separator: "/").last.map { String($0) }
      ?? ""
  }

  /// The program's name and arguments, from the kernel. Swift searches for them backwards from the
  /// environment, and finds none if a preloaded library has moved the environment.
  private static var rawArguments: [ArraySlice<UInt8>]? {
    guard let bytes = contents(of: "/proc/self/cmdline"), bytes.last == 0 else { return nil }
    return bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false)
  }

  /// All arguments except the program's own name.
  package static func arguments() throws -> [String] {
    guard let arguments = rawArguments?.dropFirst() else {
      return Array(CommandLine.arguments.dropFirst())
    }
    // git passes paths in any encoding; the merge driver opens no file by its path in the tree.
    if arguments.first.map({ String(decoding: $0, as: UTF8.self) }) == "merge-file" {
      return arguments.map { String(decoding: $0, as: UTF8.self) }
    }
    return try arguments.enumerated().map { index, word in
      guard let text = String(validating: word, as: UTF8.self) else {
        throw DiaryError(
          localized("argument \(index + 1) is not UTF-8: \(String(decoding: word, as: UTF8.self))"),
          kind: .usage, hint: localized("convert other encodings with `iconv -t UTF-8`"))
      }
      return text
    }
  }

  private static func contents(of path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    while true {
      let count = read(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }
}
