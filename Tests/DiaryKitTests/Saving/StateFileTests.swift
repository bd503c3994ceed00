import TestSupport
import Testing

@testable import DiaryKit

@Suite struct StateFileTests {
  @Test func `a cached value is never older than the file`() throws {
    let home = try Sandbox()
    let cached = StateFile("a.json", in: home.homePath, defaultValue: [Int](), cached: true)
    let other = StateFile("a.json", in: home.homePath, defaultValue: [Int]())
    #expect(try cached.load() == [])
    // Each file has the size of the one before, and a file system may use an inode again at once.
    for number in 100..<400 {
      try other.write([number])
      #expect(try cached.load() == [number])
      #expect(try cached.load() == [number])
    }
    other.remove()
    #expect(try cached.load() == [])
  }

  @Test func `a damaged file does not leave the value that was read before`() throws {
    let home = try Sandbox()
    let file = StateFile(
      "a.json", in: home.homePath, defaultValue: [Int](), durable: true, cached: true)
    try file.write([1])
    #expect(try file.load() == [1])
    try home.write("{1]", to: "a.json")
    #expect(throws: DiaryError.self) { try file.load() }
  }
}
