import Crypto
import DiaryCore
import Foundation
import Glibc
import Subprocess
import TestSupport
import Testing

@testable import GitHistory

/// Diary's reader and writer of git's index, compared with the real git.
@Suite struct IndexTests {
  /// Runs a script in the work tree.
  @discardableResult
  private func shell(_ box: TestRepository, _ script: String, index: String? = nil) async throws
    -> [UInt8]
  {
    var variables: [Environment.Key: String] = [:]
    for (name, value) in TestRepository.environment(home: box.folder) {
      if let key = Environment.Key(rawValue: name) { variables[key] = value }
    }
    variables["GIT_INDEX_FILE"] = index.map { box.root + "/.git/" + $0 }
    let result = try await run(
      .name("sh"), arguments: ["-c", "cd '\(box.root)' && " + script],
      environment: .custom(variables), output: .bytes(limit: 1 << 24),
      error: .string(limit: 1 << 20))
    try #require(result.terminationStatus.isSuccess, "\(script): \(result.standardError)")
    return result.standardOutput
  }

  private func index(_ box: TestRepository, _ name: String = "index") throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: box.root + "/.git/" + name)))
  }

  /// Runs `update-index --index-info -z` with the lines.
  private func updateIndex(_ box: TestRepository, _ lines: [String], index: String? = nil)
    async throws
  {
    let text = lines.map { $0 + "\0" }.joined()
    try Data(text.utf8).write(to: URL(filePath: box.folder + "/lines"))
    try await shell(box, "git update-index -z --index-info <../lines", index: index)
  }

  /// Git's listing of every entry, with all file data.
  private func listing(_ box: TestRepository, _ name: String) async throws -> String {
    let words = ["-s -z", "-v -z", "-t", "-u -z", "--debug"]
    var all = ""
    for word in words {
      all += String(
        decoding: try await shell(box, "git ls-files \(word)", index: name), as: UTF8.self)
    }
    return all
  }

  /// A random path that does not conflict with an existing one.
  private func randomPath(_ existing: Set<String>, _ random: inout SeededGenerator) -> String? {
    let names = [
      "a", "b", "a.b", "a-", "aa", "é", "x y", "한글", "A", String(repeating: "l", count: 200),
    ]
    let depth = Int.random(in: 1...4, using: &random)
    let parts = (0..<depth).map { _ in names[Int.random(in: 0..<names.count, using: &random)] }
    let path = parts.joined(separator: "/")
    let folders = (1..<depth + 1).map { parts[..<$0].joined(separator: "/") }
    let isFree =
      !folders.contains { existing.contains($0) } && !existing.contains { $0.hasPrefix(path + "/") }
    return isFree ? path : nil
  }

  @Test(arguments: [("2", 1), ("2", 2), ("3", 3), ("4", 4), ("4", 5), ("2", 6), ("4", 7), ("2", 8)])
  func `an index with replaced entries equals the one that git writes`(
    _ version: String, _ part: Int
  ) async throws {
    var random = SeededGenerator(part: part)
    let box = try await TestRepository()
    var blobs: [String] = []
    for text in ["one", "two", "three"] {
      let id = try await shell(box, "printf \(text) | git hash-object -w --stdin")
      blobs.append(String(decoding: id, as: UTF8.self).trimmed)
    }
    func line(_ path: String, stage: Int = 0) -> String {
      let modes = stage > 0 ? ["100644"] : ["100644", "100644", "100755", "120000", "160000"]
      let mode = modes[Int.random(in: 0..<modes.count, using: &random)]
      return "\(mode) \(blobs[Int.random(in: 0..<3, using: &random)]) \(stage)\t\(path)"
    }
    var taken: Set<String> = []
    for _ in 0..<Int.random(in: 0...80, using: &random) {
      if let path = randomPath(taken, &random) { taken.insert(path) }
    }
    if part % 4 == 0 { try await box.git("config", "core.untrackedCache", "true") }
    try await updateIndex(box, taken.sorted().map { line($0) })
    if part == 1 {
      // Without a path, there is none yet.
      unlink(box.root + "/.git/index")
      taken = []
    }
    try await box.git("update-index", "--index-version", version)
    for path in taken.sorted().prefix(4) {
      let flag = ["--assume-unchanged", "--skip-worktree"][Int.random(in: 0..<2, using: &random)]
      try await box.git("update-index", flag, path)
    }
    try box.write("wished.md", "w")
    try await box.git("add", "-N", "wished.md")
    if part % 2 == 0 {
      try await box.git("status", "--porcelain")
      try await box.git("write-tree")
    } else {
      try await updateIndex(box, (1...3).map { line("conflict", stage: $0) })
    }

    let before = try index(box)
    let read = try GitIndex(before)
    let staged = String(decoding: try await shell(box, "git ls-files -s -z"), as: UTF8.self)
    let ours =
      read.entries().map {
        "\(String($0.entry.entry.mode, radix: 8)) \($0.entry.entry.id) 0\t\($0.path.text)\0"
      }
      + read.conflicts().map {
        "\(String($0.entry.mode, radix: 8)) \($0.entry.id) \($0.stage)\t\($0.path.text)\0"
      }
    #expect(ours.sorted() == staged.split(separator: "\0").map { $0 + "\0" }.sorted())
    #expect(read.hasConflicts == (part % 2 == 1))
    for (path, entry) in read.entries() { #expect(read.entry(at: path) == entry) }
    #expect(read.entry(at: entryPath("wished.md"))?.isIntentToAdd == true)
    #expect(read.hasConflict(at: entryPath("conflict")) == (part % 2 == 1))
    #expect(read.entry(at: entryPath("a/nowhere")) == nil)

    // Some entries are removed, some are changed, some are added.
    var edits: [EntryPath: GitIndex.Replacement?] = [:]
    var lines: [String] = []
    for path in taken.sorted() where Int.random(in: 0..<4, using: &random) == 0 {
      taken.remove(path)
      edits.updateValue(nil, forKey: entryPath(path))
      lines.append("0 \(String(repeating: "0", count: 40)) 0\t\(path)")
    }
    let come = (0..<6).compactMap { _ -> String? in
      guard let path = randomPath(taken, &random) else { return nil }
      taken.insert(path)
      return path
    }
    for path in Set(come + taken.sorted().prefix(6)).sorted() {
      let new = line(path)
      lines.append(new)
      let words = new.split(separator: " ")
      edits[entryPath(path)] = GitIndex.Replacement(
        entry: TreeEntry(
          id: try #require(ObjectID(words[1])), mode: try #require(UInt32(words[0], radix: 8))))
    }
    let bytes = read.updatedBytes(applying: edits, written: nil)
    try Data(bytes).write(to: URL(filePath: box.root + "/.git/ours"))
    try Data(before).write(to: URL(filePath: box.root + "/.git/theirs"))
    try await updateIndex(box, lines, index: "theirs")
    #expect(try await listing(box, "ours") == listing(box, "theirs"), "\(random)")
    #expect(bytes[7] == before[7])
    let checked = try await shell(box, "git fsck --no-dangling 2>&1", index: "ours")
    #expect(!String(decoding: checked, as: UTF8.self).contains("error"))
    if part % 2 == 0 {
      // git trusts the cached trees of the index.
      #expect(
        try await shell(box, "git write-tree --missing-ok", index: "ours")
          == shell(box, "git write-tree --missing-ok", index: "theirs"))
    }
    // Written again without a change, it is the same.
    #expect(try GitIndex(bytes).updatedBytes(applying: [:], written: nil) == bytes)
  }

  @Test func `cached trees of unchanged folders stay valid`() async throws {
    let box = try await TestRepository()
    for path in ["a/x/one.md", "a/y/two.md", "b/three.md"] { try box.write(path, path) }
    try await box.git("add", "-A")
    try await box.git("write-tree")
    let read = try GitIndex(try index(box))
    func trees(_ index: GitIndex) throws -> String {
      let part = try #require(index.extensions.first { $0.name == Array("TREE".utf8) })
      return String(decoding: index.bytes[part.content], as: Unicode.ASCII.self)
    }
    #expect(try trees(read).contains("3 2\n"))
    var edits: [EntryPath: GitIndex.Replacement?] = [:]
    edits.updateValue(nil, forKey: entryPath("a/x/one.md"))
    let without = try trees(try GitIndex(read.updatedBytes(applying: edits, written: nil)))
    #expect(without.hasPrefix("\0-1 2\na\0-1 2\nx\0-1 0\ny\01 0\n"))
    #expect(without.contains("b\01 0\n"))
    #expect(CacheTreeExtension(Array("\0".utf8)[...]).updatedBytes(invalidating: []) == nil)
    #expect(CacheTreeExtension(Array("\u{0}1 1\n".utf8)[...]).updatedBytes(invalidating: []) == nil)
  }

  @Test func `an entry as new as the index loses its size but a submodule does not`()
    async throws
  {
    let box = try await TestRepository()
    try box.write("old.md", "o")
    try box.write("young.md", "young")
    try await box.git("add", "-A")
    let id = String(repeating: "1", count: 40)
    try await box.git("update-index", "--add", "--cacheinfo", "160000,\(id),sub")
    let read = try GitIndex(try index(box))
    // Their times end in 5 ns, and their seconds are the number of their bytes.
    let written = timespec(tv_sec: 1_690_000_005, tv_nsec: 5)
    try Data(read.updatedBytes(applying: [:], written: written)).write(
      to: URL(filePath: box.root + "/.git/ours"))
    let listing = String(
      decoding: try await shell(box, "git ls-files --debug", index: "ours"), as: UTF8.self)
    let sizes = listing.split(separator: "\n").filter { $0.contains("size:") }.map {
      $0.split(whereSeparator: { " \t".contains($0) })[1]
    }
    #expect(sizes == ["1", "0", "0"], "\(listing)")
    let later = read.updatedBytes(
      applying: [:], written: timespec(tv_sec: 1_690_000_005, tv_nsec: 6))
    #expect(later == read.updatedBytes(applying: [:], written: nil))
  }

  @Test(arguments: ["2", "4"])
  func `every damage of an index is detected or harmless`(_ version: String) async throws {
    let box = try await TestRepository()
    for path in ["a/x/one.md", "a/y.md", "b.md"] { try box.write(path, path) }
    try await box.git("add", "-A")
    try await box.git("commit", "-qm", "one")
    try await box.git("update-index", "--index-version", version)
    try await box.git("update-index", "--skip-worktree", "b.md")
    let whole = try index(box)
    _ = try GitIndex(whole)
    func withChecksum(_ bytes: some Collection<UInt8>) -> [UInt8] {
      let bytes = Array(bytes)
      return bytes + Insecure.SHA1.hash(data: bytes)
    }
    let content = whole.dropLast(20)
    #expect(withChecksum(content) == whole)
    for count in 0..<whole.count {
      #expect(throws: GitIndex.Unreadable.self) { try GitIndex(Array(whole[..<count])) }
      _ = try? GitIndex(withChecksum(whole[..<count]))
    }
    var random = SeededGenerator()
    for location in 0..<content.count {
      for _ in 0..<8 {
        var bytes = Array(content)
        bytes[location] = UInt8.random(in: 0...255, using: &random)
        guard bytes != Array(content) else { continue }
        #expect(throws: GitIndex.Unreadable.self) { try GitIndex(bytes + whole.suffix(20)) }
        guard let read = try? GitIndex(withChecksum(bytes)) else { continue }
        let entry = TreeEntry(id: ObjectID(twenty: whole[20..<40]), mode: TreeEntry.file)
        let again = try GitIndex(
          read.updatedBytes(applying: [entryPath("a/z"): .init(entry: entry)], written: nil))
        #expect(again.entry(at: entryPath("a/z"))?.entry == entry)
        _ = (again.entries(), again.conflicts(), again.hasEntries(below: entryPath("a")))
      }
    }
  }
}

/// A path that is known to be valid.
private func entryPath(_ path: String) -> EntryPath {
  guard let path = EntryPath(path) else { fatalError("no path: \(path)") }
  return path
}
