import DiaryCore
import EntryFiles
import Foundation
import Glibc
import Subprocess

/// A temporary journal folder that is removed after the test.
final class TestFolder: Sendable {
  let root: String
  let folder: JournalFolder

  init() throws {
    let place = FileManager.default.temporaryDirectory
      .appendingPathComponent("diary-é-일기-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    root = place.path
    folder = try JournalFolder(root: place.path)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func absolutePath(_ name: String) -> String { root + "/" + name }

  /// Writes a file as another program would.
  func write(_ name: String, _ text: String = "x\n") throws {
    let place = URL(fileURLWithPath: absolutePath(name))
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: place)
  }

  func text(_ name: String) -> String? {
    try? String(contentsOfFile: absolutePath(name), encoding: .utf8)
  }

  /// Every name below the root, including hidden ones.
  func names() -> [String] {
    (FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []).sorted()
  }

  func exists(_ name: String) -> Bool {
    var facts = stat()
    return lstat(absolutePath(name), &facts) == 0
  }

  func mode(_ name: String) -> mode_t {
    var facts = stat()
    return stat(absolutePath(name), &facts) == 0 ? facts.st_mode & 0o777 : 0
  }
}

func path(_ text: String) -> EntryPath {
  guard let path = EntryPath(text) else { fatalError("not a path: \(text)") }
  return path
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Starts a shell command, runs `body` when it prints a line, and then ends the command.
func withProgram<Result: Sendable>(
  _ script: String, _ argument: String, _ body: @Sendable () async throws -> Result
) async throws -> Result {
  let result = try await run(
    .name("sh"), arguments: ["-c", script + "; echo ready; read line; exit 0", "sh", argument],
    input: .inputWriter, output: .sequence, error: .discarded
  ) { execution in
    var lines = execution.standardOutput.strings().makeAsyncIterator()
    _ = try await lines.next()
    let result = try await body()
    try await execution.standardInputWriter.finish()
    return result
  }
  return result.closureResult
}
