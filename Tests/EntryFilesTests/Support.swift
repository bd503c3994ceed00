import DiaryCore
import EntryFiles
import Foundation
import Glibc
import Subprocess

/// A journal's folder of its own, gone with the test.
final class Sandbox: Sendable {
  let root: String
  let folder: JournalFolder

  init() throws {
    let place = FileManager.default.temporaryDirectory
      .appendingPathComponent("diary-files-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    root = place.path
    folder = try JournalFolder(root: place.path)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func absolute(_ name: String) -> String { root + "/" + name }

  /// Puts a file there as any other program would.
  func put(_ name: String, _ text: String = "x\n") throws {
    let place = URL(fileURLWithPath: absolute(name))
    try FileManager.default.createDirectory(
      at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: place)
  }

  func text(_ name: String) -> String? {
    try? String(contentsOfFile: absolute(name), encoding: .utf8)
  }

  /// Every name below the root, hidden ones too.
  func names() -> [String] {
    (FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []).sorted()
  }

  func exists(_ name: String) -> Bool {
    var facts = stat()
    return lstat(absolute(name), &facts) == 0
  }

  func mode(_ name: String) -> mode_t {
    var facts = stat()
    return stat(absolute(name), &facts) == 0 ? facts.st_mode & 0o777 : 0
  }
}

func path(_ text: String) -> EntryPath {
  guard let path = EntryPath(text) else { fatalError("not a path: \(text)") }
  return path
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Runs a shell line that prints a line when it is ready, `body` while it waits, and lets it go.
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
