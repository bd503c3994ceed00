import DiaryCore
import Foundation
import GitHistory
import Glibc
import Testing

/// Single objects, as a cut of the power may leave them.
@Suite struct ObjectTests {
  @Test(arguments: ["", "no object at all", "another"])
  func `an object that has its name and not its bytes is written again`(_ left: String) async throws
  {
    let box = try await Sandbox()
    try box.write("a.md", "the words\n")
    try box.write("b.md", "other words\n")
    let name = try await box.git("hash-object", "a.md").trimmingCharacters(in: .newlines)
    let objects = box.root + "/.git/objects/"
    let folder = objects + name.prefix(2)
    var bytes = Data(left.utf8)
    if left == "another" {
      // Sound in itself, under a name that is not its own.
      let other = try await box.git("hash-object", "-w", "b.md").trimmingCharacters(in: .newlines)
      bytes = try Data(
        contentsOf: URL(fileURLWithPath: objects + other.prefix(2) + "/" + other.dropFirst(2)))
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try bytes.write(to: URL(fileURLWithPath: folder + "/" + name.dropFirst(2)))
    let repository = try box.open()
    #expect(try await repository.save(box, ["a.md"]) != nil)
    #expect(try await repository.sitting(box).paths?.count == 1)
    #expect(try await box.git("cat-file", "blob", name) == "the words\n")
    #expect(try await box.git("fsck", "--strict", "--full", "--no-dangling") == "")
  }
}
