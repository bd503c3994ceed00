import Foundation
import TestSupport
import Testing

/// The cost of an import of many entries, as a number of system calls that read the journal: it is
/// the same on any machine.
@Suite(.serialized) struct ImportManyTests {
  /// The number of reading calls of an import of `count` entries with the same title and date. An
  /// existing file already has a name that one of them would get.
  private func readCalls(_ count: Int) async throws -> Int {
    let world = try await FaultJournal { home in
      try await home.diary("init", "j", in: "w")
      try home.write("Mine.\n", to: "w/j/2023/11/2023-11-15-walk-2.md")
      let items = (1...count).map {
        "{\"title\": \"\($0 % 4 == 0 ? "Walk 2" : "Walk")\", \"body\": \"Body \($0).\","
          + " \"created_at\": 1700000000}"
      }
      try home.write("[" + items.joined(separator: ",\n") + "]", to: "w/phone.json")
    }
    let done = try await world.diary(["import", "../phone.json"], in: "w/j", "look:EIO")
    #expect(done.result.output == "Imported \(count) entries.\n", "\(done.result)")
    let files = world.home.files(in: "w/j").filter { $0 != "INDEX.md" }
    #expect(files.count == count + 1)
    #expect(try world.home.read("w/j/2023/11/2023-11-15-walk-2.md") == "Mine.\n")
    return done.effects.count
  }

  @Test func `the cost of importing entries with equal title and date is linear`()
    async throws
  {
    let (few, many) = (try await readCalls(100), try await readCalls(400))
    #expect(many < 6 * few, "\(few) and \(many) calls")
  }

  /// Each entry is in its own folder, whose descriptor is open as well as the file's.
  @Test func `an import of six hundred entries needs at most 256 open files`() async throws {
    let home = try Sandbox()
    try await home.diary("init", "j")
    let items = (1...600).map {
      "{\"title\": \"Walk\", \"body\": \"Body \($0).\", \"created_at\": \($0 * 2_678_400)}"
    }
    try home.write("[" + items.joined(separator: ",\n") + "]", to: "phone.json")
    let done = try await home.run(
      "sh",
      ["-c", "ulimit -n 256 && exec \"$@\"", "sh", Sandbox.programs + "/diary"]
        + ["import", "../phone.json"], in: "j")
    #expect(done.output == "Imported 600 entries.\n", "\(done)")
    #expect(home.files(in: "j").count == 601)
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
  }
}
