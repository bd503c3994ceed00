import Foundation
import TestSupport
import Testing

/// A state in which diary 0.1.0 left journals, as a folder of `Tests/Archives` (docs/testing.md tells
/// how they are made).
struct Archive: Sendable {
  let home: Sandbox
  /// The journals in it, relative to home.
  let journals: [String]
  /// The contents of all files and of every commit and save, by git's ids, as the archive held them.
  private let contents: [String: Set<String>]

  static let folder = Project.root.appendingPathComponent("Tests/Archives").path

  static let names =
    (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted()
    .filter { $0.hasSuffix(".tar.gz") }.map { String($0.dropLast(7)) } ?? []

  /// Unpacks the archive in a home of its own.
  init(_ name: String) async throws {
    home = try Sandbox()
    let unpacked = try await home.run("tar", ["-xzf", Self.folder + "/\(name).tar.gz"])
    guard unpacked.status == 0 else { throw ProgramFailed(text: unpacked.errors) }
    let (home, folders) = (home, ["j", "a", "b", "side"])
    journals = folders.filter { home.exists($0 + "/.git") }
    try Self.relocate(in: home)
    var contents: [String: Set<String>] = [:]
    for journal in journals { contents[journal] = try await Self.contents(of: journal, home) }
    self.contents = contents
  }

  /// Replaces the folder in which the archive was made in the few files that hold absolute paths: locks
  /// of a killed program and of git, and the two files of a linked work tree.
  private static func relocate(in home: Sandbox) throws {
    let all = FileManager.default.enumerator(atPath: home.home)?.allObjects as? [String] ?? []
    let suffixes = ["side/.git", "/gitdir", ".for", ".then", "/diary/git.json"]
    for name in all where suffixes.contains(where: name.hasSuffix) {
      let text = try home.read(name)
      let slashes = { (path: String) in path.replacing("/", with: "\\/") }
      let moved = text.replacing("/home/writer", with: home.home)
        .replacing(slashes("/home/writer"), with: slashes(home.home))
      try home.write(moved, to: name)
    }
  }

  /// Runs the built `diary` in a journal, `j` unless told otherwise, and expects its end.
  @discardableResult
  func diary(
    _ words: String..., in folder: String = "j", status: Int = 0,
    at location: SourceLocation = #_sourceLocation
  ) async throws -> Sandbox.Result {
    let result = try await home.run(Sandbox.programs + "/diary", words, in: folder)
    #expect(
      result.status == status, "\(words): \(result.output)\(result.errors)",
      sourceLocation: location)
    return result
  }

  /// The first entry in git's order, saved before the archive was made.
  func oldestEntry(in journal: String) async throws -> String {
    let names = try await home.git("ls-tree", "-rz", "--name-only", "HEAD", in: journal)
    return try #require(
      names.split(separator: "\0").first { $0.hasSuffix(".md") && !$0.hasPrefix(".diary/") }
        .map(String.init))
  }

  /// Every content that the archive held is in a file, or in what references name, and git finds
  /// no damage.
  func expectNothingLost(at location: SourceLocation = #_sourceLocation) async throws {
    for journal in journals {
      let now = try await Self.contents(of: journal, home)
      let lost = contents[journal]?.subtracting(now) ?? []
      #expect(lost.isEmpty, "\(journal)", sourceLocation: location)
      try await home.git("fsck", "--strict", "--full", in: journal)
    }
  }

  /// The ids of the contents of every file and of all that references name.
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
  /// Runs git with a list of words; throws when it fails.
  fileprivate func git(_ words: [String], in folder: String) async throws -> String {
    let result = try await run("git", words, in: folder)
    guard result.status == 0 else { throw ProgramFailed(text: result.errors) }
    return result.output
  }
}
