import Foundation
import TestSupport
import Testing

/// A state of journals as diary 0.1.0 left them, from a folder of `Tests/Archives` (docs/testing.md
/// describes how they are made).
struct Archive: Sendable {
  let home: Sandbox
  /// The paths of its journals, relative to the home.
  let journals: [String]
  /// The git ids of all files and of every commit and save at the time of the archive.
  private let contents: [String: Set<String>]

  static let folder = Project.root.appendingPathComponent("Tests/Archives").path

  static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted()
    .filter { $0.hasSuffix(".tar.gz") }.map { String($0.dropLast(7)) } ?? []

  /// Unpacks the archive in its own home.
  init(_ name: String) async throws {
    home = try Sandbox()
    let unpacked = try await home.run("tar", ["-xzf", Self.folder + "/\(name).tar.gz"])
    guard unpacked.status == 0 else { throw ProgramFailed(message: unpacked.errors) }
    let (home, folders) = (home, ["j", "a", "b", "side"])
    journals = folders.filter { home.exists($0 + "/.git") }
    try Self.relocate(in: home)
    var contents: [String: Set<String>] = [:]
    for journal in journals { contents[journal] = try await Self.contents(of: journal, home) }
    self.contents = contents
  }

  /// Replaces the original folder of the archive in the files that contain absolute paths: the
  /// locks of a killed program and of git, and the two files of a linked work tree.
  private static func relocate(in home: Sandbox) throws {
    let all = FileManager.default.enumerator(atPath: home.homePath)?.allObjects as? [String] ?? []
    let suffixes = ["side/.git", "/gitdir", ".for", ".then", "/diary/git.json"]
    for name in all where suffixes.contains(where: name.hasSuffix) {
      let text = try home.read(name)
      let slashes = { (path: String) in path.replacing("/", with: "\\/") }
      let moved = text.replacing("/home/writer", with: home.homePath)
        .replacing(slashes("/home/writer"), with: slashes(home.homePath))
      try home.write(moved, to: name)
    }
  }

  /// Runs the built `diary` in a journal, by default `j`, and checks the exit code.
  @discardableResult
  func diary(
    _ words: String..., in folder: String = "j", status: Int = 0,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Sandbox.ProgramResult {
    let result = try await home.run(Sandbox.programs + "/diary", words, in: folder)
    #expect(
      result.status == status, "\(words): \(result.output)\(result.errors)",
      sourceLocation: location)
    return result
  }

  /// The first entry in git's order that was saved before the archive was made.
  func oldestEntry(in journal: String) async throws -> String {
    let names = try await home.git("ls-tree", "-rz", "--name-only", "HEAD", in: journal)
    return try #require(
      names.split(separator: "\0").first { $0.hasSuffix(".md") && !$0.hasPrefix(".diary/") }
        .map(String.init))
  }

  /// Expects that all content of the archive is still in a file or reachable from a ref, and that
  /// git finds no damage.
  func expectNothingLost(at location: SourceLocation = #_sourceLocation) async throws {
    for journal in journals {
      let now = try await Self.contents(of: journal, home)
      let lost = contents[journal]?.subtracting(now) ?? []
      #expect(lost.isEmpty, "\(journal)", sourceLocation: location)
      try await home.git("fsck", "--strict", "--full", in: journal)
    }
  }

  /// The ids of the contents of every file and of everything reachable from refs.
  private static func contents(of journal: String, _ home: Sandbox) async throws -> Set<String> {
    let files = home.files(in: journal).filter {
      !["INDEX.md", "LIST.md", ".git"].contains($0) && !$0.contains(".diary-")
    }
    let onDisk = try await home.git(
      ["hash-object", "--no-filters", "--"] + files, in: journal)
    let named = try await home.git(
      "rev-list", "--all", "--objects", "--no-object-names", in: journal)
    let types = try await home.run(
      "git", ["cat-file", "--batch-check=%(objecttype) %(objectname)"], in: journal, input: named)
    let blobs = types.output.split(separator: "\n").filter { $0.hasPrefix("blob ") }
      .map { String($0.dropFirst(5)) }
    return Set(onDisk.split(separator: "\n").map(String.init) + blobs)
  }
}

extension Sandbox {
  /// Runs git with these arguments; throws if it fails.
  fileprivate func git(_ arguments: [String], in folder: String) async throws -> String {
    let result = try await run("git", arguments, in: folder)
    guard result.status == 0 else { throw ProgramFailed(message: result.errors) }
    return result.output
  }
}
