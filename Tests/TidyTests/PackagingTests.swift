import Foundation
import TestSupport
import Testing

/// Checks the license list, the required glibc version and the version number of a release.
@Suite struct PackagingTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: Project.root.appendingPathComponent(path), encoding: .utf8)
  }

  @Test func `the licences name every linked package`() throws {
    let copyright = try text("packaging/copyright").lowercased()
    let packages = try text("Package.resolved").matches(of: #/"identity" : "([^"]+)"/#)
    #expect(packages.count > 20)
    for package in packages {
      #expect(copyright.contains(package.1), "\(package.1)")
    }
  }

  @Test func `a binary that needs a newer glibc than promised is refused`() async throws {
    let home = try Sandbox()
    let check = Project.root.path + "/packaging/symbols"
    let libc = "/usr/lib/x86_64-linux-gnu/libm.so.6"
    try FileManager.default.copyItem(atPath: libc, toPath: home.homePath + "/libm.so")
    let refused = try await home.run(check, ["2.2", home.homePath], in: "")
    #expect(refused.status == 1 && refused.errors.contains("libm.so needs glibc"), "\(refused)")
    let taken = try await home.run(check, ["9.9", home.homePath], in: "")
    #expect(taken.status == 0, "\(taken)")
  }

  @Test func `the version is the newest one of the change log`() throws {
    let source = try text("Sources/diary/Diary.swift")
    let version = try #require(source.firstMatch(of: /static let current = "([0-9.]+)"/)).1
    let heading = try #require(try text("CHANGELOG.md").firstMatch(of: /\n## ([0-9.]+)/)).1
    #expect(version == heading)
  }
}
