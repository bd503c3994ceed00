import Foundation
import TestSupport
import Testing

/// What a release says of itself.
@Suite struct PackagingTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: Project.root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test func `the licences name every package that is linked in`() throws {
    let copyright = try text("packaging/copyright").lowercased()
    let packages = try text("Package.resolved").matches(of: #/"identity" : "([^"]+)"/#)
    #expect(packages.count > 20)
    // In the tests alone.
    for package in packages where package.1 != "flyingfox" {
      #expect(copyright.contains(package.1), "\(package.1)")
    }
  }

  @Test func `what is newer than the glibc that is promised is refused`() async throws {
    let home = try Sandbox()
    let check = Project.root.path + "/packaging/symbols"
    let libc = "/usr/lib/x86_64-linux-gnu/libm.so.6"
    try FileManager.default.copyItem(atPath: libc, toPath: home.home + "/libm.so")
    let refused = try await home.run(check, ["2.2", home.home], in: "")
    #expect(refused.status == 1 && refused.errors.contains("libm.so needs glibc"), "\(refused)")
    let taken = try await home.run(check, ["9.9", home.home], in: "")
    #expect(taken.status == 0, "\(taken)")
  }
}
