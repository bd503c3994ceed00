import Foundation
import TestSupport
import Testing

@Suite struct SealedDocumentTests {
  /// The lines of docs/sealed.md that restore everything without Diary.
  private func script() throws -> String {
    let page = try String(
      contentsOf: Project.root.appendingPathComponent("docs/sealed.md"), encoding: .utf8)
    return try String(#require(page.firstMatch(of: #/```sh\n((?s).*?)```/#)).1)
  }

  @Test func `the printed lines restore every branch and tag without Diary`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    for number in 0..<12 {
      try await world.commit("a", "file-\(number % 3)", "text \(number)")
      _ = try world.converse(
        "a", ["push refs/heads/main:refs/heads/main", "", ""], mostBundles: 4)
    }
    var numbers = SeededGenerator()
    let bytes = (0..<4_500_000).map { _ in UInt64.random(in: 0 ... .max, using: &numbers) }
    try bytes.withUnsafeBytes { Data($0) }.write(
      to: URL(fileURLWithPath: world.home.homePath + "/a/picture"))
    try await world.commit("a", "가을.md", "낙엽")
    try await world.home.git("tag", "--annotate", "--message", "x", "v1", in: "a")
    try await world.home.git("branch", "side", "HEAD~3", in: "a")
    try await world.home.git("push", "--quiet", "origin", "main", "side", "v1", in: "a")

    try FileManager.default.createDirectory(
      atPath: world.home.homePath + "/restore", withIntermediateDirectories: true)
    world.home.set("PATH", ProcessInfo.processInfo.environment["PATH"])
    world.home.set("HOST", world.home.homePath + "/host")
    world.home.set("KEY", world.home.homePath + "/.config/diary/keys/key.txt")
    let run = try await world.home.run("sh", ["-euc", script()], in: "restore")
    #expect(run.status == 0, "\(run)")
    for name in ["main", "side", "v1", "HEAD"] {
      #expect(try await world.tip("restore/restored", name) == world.tip("a", name), "\(name)")
    }
    #expect(try world.home.read("restore/restored/가을.md") == "낙엽")
    #expect(try await world.git("restore/restored", "fsck", "--strict", "--full").status == 0)
    #expect(try await world.git("restore/restored", "status", "--short").output == "")
  }
}
