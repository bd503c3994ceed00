import DiaryCore
import Foundation
import GitHistory
import Glibc
import TestSupport
import Testing

/// Many files at once are written as a pack, even during a cleanup by git.
@Suite struct PackTests {
  private static let many = 450

  private func makeFiles(_ count: Int) async throws -> (TestRepository, [String]) {
    let box = try await TestRepository()
    let names = (0..<count).map { "2026/\($0 % 12)/\($0).md" }
    for name in names { try box.write(name, "the text of \(name)\n") }
    return (box, names)
  }

  private func names(_ box: TestRepository, in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: box.root + "/.git/objects" + folder)
  }

  /// The number of loose and of packed objects.
  private func objectCounts(_ box: TestRepository) async throws -> (loose: Int, packed: Int) {
    let lines = try await box.git("count-objects", "-v").split(separator: "\n")
    func figure(_ name: String) -> Int {
      lines.first { $0.hasPrefix(name + ": ") }.flatMap { Int($0.dropFirst(name.count + 2)) } ?? -1
    }
    return (figure("count"), figure("in-pack"))
  }

  @Test func `many new files become one pack and a large one stays loose`() async throws {
    var (box, paths) = try await makeFiles(Self.many)
    try box.write("large.md", String(repeating: "0123456789abcdef", count: 20_000))
    paths.append("large.md")
    let repository = try box.open()
    try await repository.save(box, paths)
    #expect(try await repository.commitSitting(box).paths?.count == paths.count)
    let objects = try await objectCounts(box)
    #expect(objects.packed >= Self.many && objects.loose < 10)
    #expect(try names(box, in: "/pack").map { $0.suffix(4) }.sorted() == [".idx", "pack"])
    #expect(try names(box, in: "").allSatisfy { !$0.hasPrefix("tmp_") })
    #expect(try await box.git("fsck", "--strict", "--full") == "")
    #expect(try await box.git("status", "--porcelain") == "")
    #expect(try await box.git("show", "main:\(paths[7])") == "the text of \(paths[7])\n")
    let pack = try #require(names(box, in: "/pack").first)
    var status = stat()
    #expect(stat(box.root + "/.git/objects/pack/" + pack, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o444)
  }

  /// Two packs are written in parallel on more than one processor.
  @Test func `many long files become two packs`() async throws {
    let box = try await TestRepository()
    let paths = (0..<250).map { "\($0).md" }
    for path in paths { try box.write(path, String(repeating: path + "\n", count: 600)) }
    let repository = try box.open()
    try await repository.save(box, paths)
    #expect(try await repository.commitSitting(box).paths?.count == paths.count)
    let found = try names(box, in: "/pack").map { $0.suffix(4) }.sorted()
    #expect(found == [".idx", ".idx", "pack", "pack"])
    #expect(try await objectCounts(box).packed >= paths.count)
    #expect(try names(box, in: "").allSatisfy { !$0.hasPrefix("tmp_") })
    #expect(try await box.git("fsck", "--strict", "--full") == "")
    for path in [paths[0], paths[249]] {
      #expect(try await box.git("show", "main:" + path).hasPrefix(path + "\n" + path))
    }
  }

  @Test func `objects that exist already are not packed again`() async throws {
    let (box, paths) = try await makeFiles(Self.many)
    let repository = try box.open()
    try await repository.save(box, paths)
    let packs = try names(box, in: "/pack")
    #expect(try await repository.save(box, paths) == nil)
    try box.write(paths[3], "another text\n")
    #expect(try await repository.save(box, paths) != nil)
    #expect(try names(box, in: "/pack") == packs)
  }

  @Test func `a repack before the ref is updated keeps the new pack`() async throws {
    let (box, paths) = try await makeFiles(Self.many)
    let repository = try box.open()
    // A foreign lock on the saves ref prevents its update.
    let lock = box.root + "/.git/refs/diary/saves/main/main.lock"
    try FileManager.default.createDirectory(
      atPath: (lock as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: lock))
    async let save = repository.save(box, paths)
    #expect(
      try await Sandbox.holds { try names(box, in: "/pack").contains { $0.hasSuffix(".pack") } })
    let kept = try #require(names(box, in: "/pack").first { $0.hasSuffix(".pack") })
    try await box.git("repack", "-adq")
    #expect(try names(box, in: "/pack").contains(kept))
    unlink(lock)
    #expect(try await save != nil)
    #expect(try names(box, in: "/pack").allSatisfy { !$0.hasSuffix(".keep") })
    #expect(try await box.git("fsck", "--strict", "--full") == "")
  }

  @Test func `a gc of the user at the same time removes nothing`() async throws {
    let (box, paths) = try await makeFiles(Self.many)
    let repository = try box.open()
    async let sweeps: Int = {
      var done = 0
      for _ in 0..<6 where (try? await box.git("gc", "-q", "--prune=now")) != nil { done += 1 }
      return done
    }()
    for round in 0..<3 {
      for path in paths { try box.write(path, "round \(round) of \(path)\n") }
      try await repository.save(box, paths)
    }
    #expect(await sweeps > 0)
    #expect(try await box.git("fsck", "--strict", "--full", "--no-dangling") == "")
    #expect(
      try await box.git("show", "refs/diary/saves/main/main~2:\(paths[9])")
        == "round 0 of \(paths[9])\n")
  }

  @Test func `the partial pack of a killed save is removed by git's gc`() async throws {
    let (box, paths) = try await makeFiles(Self.many)
    let repository = try box.open()
    try await repository.save(box, paths)
    let folder = box.root + "/.git/objects"
    let half = folder + "/tmp_objdir-diary-abcdef"
    try FileManager.default.createDirectory(atPath: half, withIntermediateDirectories: true)
    try Data("half".utf8).write(to: URL(filePath: half + "/pack_git2_abcdef"))
    // An index file that was renamed, without its pack.
    let list = try #require(names(box, in: "/pack").first { $0.hasSuffix(".idx") })
    let lonely = folder + "/pack/pack-\(String(repeating: "7", count: 40)).idx"
    try FileManager.default.copyItem(atPath: folder + "/pack/" + list, toPath: lonely)
    let again = try box.open()
    try box.write("a.md", "1\n")
    try await again.save(box, ["a.md"])
    #expect(try await again.savedContent(#require(EntryPath("a.md"))) == Array("1\n".utf8))
    #expect(try await box.git("fsck", "--strict", "--full") == "")
    try await box.git("gc", "-q", "--prune=now")
    #expect(access(lonely, F_OK) != 0)
    #expect(access(half, F_OK) != 0)
    #expect(try await box.git("fsck", "--strict", "--full") == "")
  }
}
