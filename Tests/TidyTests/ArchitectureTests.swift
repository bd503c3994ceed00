import Foundation
import Testing

/// The house's rule of who may import whom (docs/architecture.md), held against the import lines.
@Suite struct ArchitectureTests {
  static let everywhere: Set<String> = ["Foundation", "Glibc", "Dispatch", "Synchronization"]

  static let table: [String: Set<String>] = [
    "DiaryCore": ["Yams", "CMark"],
    "GitHistory": ["DiaryCore", "CLibgit2", "CLinux"],
    "EntryFiles": ["DiaryCore", "CLinux"],
    "EntryIndex": ["DiaryCore", "GRDB", "GRDBSQLite"],
    "FolderWatch": ["DiaryCore", "CLinux"],
    "EntryFormats": ["DiaryCore", "CMark"],
    "DiaryKit": [
      "DiaryCore", "GitHistory", "EntryFiles", "EntryIndex", "FolderWatch", "EntryFormats",
      "Subprocess", "SystemPackage",
    ],
    "diary": ["DiaryKit", "DiaryCore", "ArgumentParser"],
    "WeatherService": ["DiaryCore", "FoundationNetworking"],
    "diary-weather": ["WeatherService", "DiaryCore"],
  ]

  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func swiftFiles(in folder: String) throws -> [URL] {
    let place = root.appendingPathComponent("Sources").appendingPathComponent(folder)
    let names = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)
    return (names?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
  }

  @Test(arguments: table.keys.sorted())
  func `imports only what the house allows`(_ module: String) throws {
    let allowed = try #require(Self.table[module]).union(Self.everywhere)
    let files = try Self.swiftFiles(in: module)
    #expect(!files.isEmpty)
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") {
        let words = line.split(separator: " ").filter { !$0.hasPrefix("@") && $0 != "public" }
        guard words.first == "import", let name = words.last?.split(separator: ".").first else {
          continue
        }
        #expect(
          allowed.contains(String(name)), "\(module)/\(file.lastPathComponent) imports \(name)")
      }
    }
  }

  @Test func `every folder of Sources stands in the table or is a C module`() throws {
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: Self.root.appendingPathComponent("Sources").path)
    #expect(Set(folders) == Set(Self.table.keys).union(["CLibgit2", "CLinux", "CMark"]))
  }

  @Test func `a long file says why in its first comment`() throws {
    for module in Self.table.keys {
      for file in try Self.swiftFiles(in: module) {
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count > 400 else { continue }
        #expect(
          lines[0].hasPrefix("// Long because"),
          "\(file.lastPathComponent) has \(lines.count) lines")
      }
    }
  }

  @Test func `only the program prints`() throws {
    for module in Self.table.keys where module != "diary" && module != "diary-weather" {
      for file in try Self.swiftFiles(in: module) {
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("\n    print("), "\(module)/\(file.lastPathComponent) prints")
        #expect(!text.contains(" exit("), "\(module)/\(file.lastPathComponent) exits")
      }
    }
  }
}
