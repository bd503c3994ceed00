import DiaryCore
import Foundation
import Glibc
import Testing

@testable import GitHistory

/// Single objects, as a power cut may leave them.
@Suite struct ObjectTests {
  @Test(.serialized, arguments: ["", "no object at all", "another"])
  func `an object with its name but wrong bytes is written again`(_ left: String) async throws {
    let box = try await TestRepository()
    try box.write("a.md", "the words\n")
    try box.write("b.md", "other words\n")
    let name = try await box.git("hash-object", "a.md").trimmingCharacters(in: .newlines)
    let objects = box.root + "/.git/objects/"
    let folder = objects + name.prefix(2)
    var bytes = Data(left.utf8)
    if left == "another" {
      // A valid object under the name of another one.
      let other = try await box.git("hash-object", "-w", "b.md").trimmingCharacters(in: .newlines)
      bytes = try Data(
        contentsOf: URL(fileURLWithPath: objects + other.prefix(2) + "/" + other.dropFirst(2)))
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try bytes.write(to: URL(fileURLWithPath: folder + "/" + name.dropFirst(2)))
    // A walk through any repository switches libgit2's checks off in the whole process.
    let walker = try box.open()
    let reader = try await walker.retainedReader()
    let repository = try box.open()
    #expect(try await repository.save(box, ["a.md"]) != nil)
    await walker.release(reader)
    #expect(try await repository.commitSitting(box).paths?.count == 1)
    #expect(try await box.git("cat-file", "blob", name) == "the words\n")
    #expect(try await box.git("fsck", "--strict", "--full", "--no-dangling") == "")
  }

  /// Half a megabyte in a repository may unpack to this size.
  @Test func `a version that is too large is refused by its size alone`() async throws {
    let box = try await TestRepository()
    let id = try #require(ObjectID(String(repeating: "ab", count: 20)))
    // The start of a compressed loose object: only its size is read.
    let head = Array("blob \(GitRepository.maxReadSize + 1)\0".utf8)
    let length = UInt8(head.count)
    let name = id.description
    let folder = box.root + "/.git/objects/" + name.prefix(2)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data([0x78, 0x01, 0x01, length, 0, ~length, 0xFF] + head).write(
      to: URL(fileURLWithPath: folder + "/" + name.dropFirst(2)))
    let error = await #expect(throws: GitError.self) { try await box.open().content(of: id) }
    #expect(error?.reason == .tooLarge)
    #expect(error?.description.contains("it holds 512 MiB") == true)
  }
}

extension GitRepository {
  /// A reader that exists until it is released, as an address.
  fileprivate func retainedReader() throws -> UInt {
    UInt(bitPattern: Unmanaged.passRetained(try ObjectReader(repository, location)).toOpaque())
  }

  fileprivate func release(_ reader: UInt) {
    guard let address = UnsafeRawPointer(bitPattern: reader) else { return }
    Unmanaged<ObjectReader>.fromOpaque(address).release()
  }
}
