import Foundation
import TestSupport
import Testing

/// Checks the import lines against the module rules of docs/architecture.md.
@Suite struct ArchitectureTests {
  static let everywhere: Set<String> = ["Foundation", "Glibc", "Dispatch", "Synchronization"]

  static let table: [String: Set<String>] = [
    "Localization": ["CTexts"],
    "DiaryCore": ["Localization", "Yams", "CMark"],
    "GitHistory": ["Localization", "DiaryCore", "CLibgit2", "CLinux", "Crypto"],
    "EntryFiles": ["Localization", "DiaryCore", "CLinux"],
    "EntryIndex": ["Localization", "DiaryCore", "GRDB", "GRDBSQLite"],
    "FolderWatch": ["Localization", "DiaryCore", "CLinux"],
    "EntryFormats": ["Localization", "DiaryCore", "CMark", "CHTML", "Yams"],
    "ZipFiles": ["Localization", "CZip"],
    "SealedRemote": ["Localization", "CLinux"],
    "DiaryKit": [
      "DiaryCore", "GitHistory", "EntryFiles", "EntryIndex", "FolderWatch", "EntryFormats",
      "SealedRemote", "ZipFiles", "Localization", "Subprocess", "SystemPackage", "Crypto",
    ],
    "diary": ["Localization", "DiaryKit", "DiaryCore", "ArgumentParser", "CBuild"],
    "WeatherService": ["Localization", "DiaryCore", "CCurl"],
    "diary-weather": ["Localization", "WeatherService"],
    "WebPage": [
      "Localization", "DiaryKit", "DiaryCore", "EntryFormats", "HummingbirdCore", "HTTPTypes",
      "NIOCore", "NIOPosix", "NIOHTTP1", "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "Logging",
      "ServiceLifecycle", "Crypto", "CLinux",
    ],
    "diary-web": ["Localization", "WebPage", "DiaryKit", "ArgumentParser"],
    "git-remote-diary": ["Localization", "SealedRemote"],
    "Executables": ["diary", "diary_weather", "diary_web", "git_remote_diary"],
  ]

  static func swiftFiles(in folder: String) throws -> [URL] {
    let place = Project.root.appendingPathComponent("Sources").appendingPathComponent(folder)
    let names = FileManager.default.enumerator(at: place, includingPropertiesForKeys: nil)
    return (names?.allObjects as? [URL] ?? []).filter { $0.pathExtension == "swift" }
  }

  @Test(arguments: table.keys.sorted())
  func `a module imports only what the table allows`(_ module: String) throws {
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

  @Test func `every folder of Sources is in the table or a C module`() throws {
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: Project.root.appendingPathComponent("Sources").path)
    let foreign: Set = [
      "CLibgit2", "CLinux", "CMark", "CZip", "CHTML", "CCurl", "CBuild", "CTexts",
    ]
    #expect(Set(folders) == Set(Self.table.keys).union(foreign))
  }

  @Test func `a long file gives the reason in its first comment`() throws {
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

  @Test func `only the program prints and exits`() throws {
    for module in Self.table.keys where !module.hasPrefix("diary") {
      for file in try Self.swiftFiles(in: module) {
        let text = try String(contentsOf: file, encoding: .utf8)
        for line in text.split(separator: "\n") where line.contains("t(") {
          #expect(
            !line.contains(#/(^|[^\w.])(print|exit)\(/#),
            "\(module)/\(file.lastPathComponent): \(line)")
        }
      }
    }
  }

  @Test func `file names and type names are unique across modules`() throws {
    var files: [String: [String]] = [:]
    var types: [String: [String]] = [:]
    let declaration = #/^(?:[a-z]+ |@\w+ )*(?:struct|enum|class|actor|protocol|typealias) (\w+)/#
    for module in Self.table.keys.sorted() {
      for file in try Self.swiftFiles(in: module) {
        let name = module + "/" + file.lastPathComponent
        files[file.lastPathComponent, default: []].append(name)
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
          guard let found = line.prefixMatch(of: declaration) else { continue }
          types[String(found.1), default: []].append(name)
        }
      }
    }
    #expect(types.count > 200)
    for (name, places) in files where places.count > 1 { Issue.record("\(name): \(places)") }
    for (name, places) in types where places.count > 1 { Issue.record("\(name): \(places)") }
  }

  @Test func `a type that a document names exists`() throws {
    var code = Set<Substring>()
    for folder in ["Sources", "Tests"] {
      let files = FileManager.default.enumerator(
        at: Project.root.appendingPathComponent(folder), includingPropertiesForKeys: nil)
      for case let file as URL in try #require(files) where file.pathExtension == "swift" {
        let text = try String(contentsOf: file, encoding: .utf8)
        code.formUnion(text.matches(of: #/\w+/#).map(\.output))
        code.insert(Substring(file.deletingPathExtension().lastPathComponent))
      }
      let folders = try FileManager.default.contentsOfDirectory(
        atPath: Project.root.appendingPathComponent(folder).path)
      code.formUnion(folders.map { $0[...] })
    }
    let documents = Project.root.appendingPathComponent("docs")
    let names = try FileManager.default.contentsOfDirectory(atPath: documents.path)
    for name in names where name.hasSuffix(".md") {
      let text = try String(contentsOf: documents.appendingPathComponent(name), encoding: .utf8)
      // Matches `GitRepository.advance`, `Journal+Sync` and `StateVersion`, not `PATH` or `TMPDIR`.
      for found in text.matches(of: #/`([A-Z][a-z]+[A-Z]\w+)(?:[.+]\w+)*(?:\(\))?`/#) {
        #expect(code.contains(found.1), "\(name) names \(found.1)")
      }
    }
  }

  /// A comment names a page with its folder and a section by its heading: `docs/sync.md, "Limits"`.
  @Test func `a page and section that a comment names exist`() throws {
    let folder = Project.root.appendingPathComponent("docs")
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    var count = 0
    for file in try Self.table.keys.flatMap(Self.swiftFiles(in:)) {
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains("//") {
        for found in line.matches(of: #/(docs/)?([a-z-]+\.md)(?:,? "([^"]+)"| (\d+))?/#) {
          let name = String(found.2)
          guard found.1 != nil || pages.contains(name) else { continue }
          count += 1
          let page = try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
          let isFound =
            found.1 != nil && found.4 == nil
            && found.3.map { page?.contains("\n## \($0)\n") ?? false } ?? (page != nil)
          #expect(isFound, "\(file.lastPathComponent): \(found.0)")
        }
      }
    }
    #expect(count > 10)
  }
}
