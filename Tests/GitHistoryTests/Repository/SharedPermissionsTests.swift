import Foundation
import Glibc
import Testing

@testable import GitHistory

@Suite struct SharedPermissionsTests {
  @Test func `modes follow git's rules`() {
    for value in [nil, "umask", "false", "0", "0200", "nonsense"] {
      #expect(SharedPermissions(value) == nil, "\(value ?? "nil")")
    }
    let (file, object, folder) = (mode_t(0o100600), mode_t(0o100400), mode_t(0o040700))
    let cases: [(String, mode_t, mode_t, mode_t)] = [
      ("group", 0o660, 0o440, 0o2770), ("true", 0o660, 0o440, 0o2770),
      ("all", 0o664, 0o444, 0o2775), ("0640", 0o640, 0o440, 0o2750), ("0600", 0o600, 0o400, 0o700),
    ]
    for (value, shared, readOnly, searched) in cases {
      let access = SharedPermissions(value)
      #expect(access?.mode(of: file) == shared, "\(value)")
      #expect(access?.mode(of: object) == readOnly, "\(value)")
      #expect(access?.mode(of: folder) == searched, "\(value)")
    }
  }

  @Test func `objects, refs and logs are for the group of a shared repository`() async throws {
    let box = try await TestRepository()
    // Unlike with "group", no mode is that of the usual umask.
    try await box.git("config", "core.sharedRepository", "0660")
    try box.write("a.md", "one\n")
    let many = (0..<120).map { "many/\($0).md" }
    for name in many { try box.write(name, name + "\n") }
    let repository = try box.open()
    #expect(try await repository.save(box, ["a.md"]) != nil)
    #expect(try await repository.save(box, many) != nil)
    #expect(try await repository.commitSitting(box).paths?.count == 121)
    var checked = 0
    for folder in ["objects", "refs/heads", "refs/diary", "logs/refs/heads"] {
      let root = box.root + "/.git/" + folder
      for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name != "info" {
        var status = stat()
        try #require(lstat(root + "/" + name, &status) == 0)
        let isFolder = status.st_mode & S_IFMT == S_IFDIR
        let mode: mode_t = isFolder ? 0o2770 : folder == "objects" ? 0o440 : 0o660
        #expect(status.st_mode & 0o7777 == mode, "\(folder)/\(name)")
        checked += 1
      }
    }
    #expect(checked > 8)
  }
}
