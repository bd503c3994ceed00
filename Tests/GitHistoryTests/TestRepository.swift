import DiaryCore
import Foundation
import GitHistory
import Glibc
import Subprocess
import Testing

/// A temporary folder with a repository, used with Diary and the real `git`; removed on deinit.
final class TestRepository: Sendable {
  let folder: String
  /// The root of the work tree.
  let root: String

  init(_ setUp: [[String]] = []) async throws {
    let made = FileManager.default.temporaryDirectory.appending(
      path: "diary-é-일기-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: made, withIntermediateDirectories: true)
    folder = try #require(realPath(made.path(percentEncoded: false)))
    root = folder + "/work"
    GitLibrary.start(environment: Self.environment(home: folder))
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    try await git("init", "-q", "-b", "main")
    try await git("config", "user.name", "Mina Kim")
    try await git("config", "user.email", "mina@example.org")
    for command in setUp { try await git(command) }
  }

  /// A repository with one finished sitting, of `a.md`.
  static func withFirstSitting() async throws -> (TestRepository, GitRepository) {
    let box = try await TestRepository()
    let repository = try box.open()
    try box.write("a.md", "1\n")
    try await repository.save(box, ["a.md"])
    _ = try await repository.commitSitting(box)
    return (box, repository)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// Sets the time of git's index to `seconds` from now, also on a slow machine.
  func setIndexTime(_ seconds: Double) throws {
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: seconds)],
      ofItemAtPath: root + "/.git/index")
  }

  static func environment(home: String) -> [String: String] {
    [
      "HOME": home, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
      "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "LC_ALL": "C",
      "EDITOR": "true", "GIT_AUTHOR_DATE": "1700000000 +0000",
      "GIT_COMMITTER_DATE": "1700000000 +0000",
    ]
  }

  struct GitFailed: Error {
    var arguments: [String]
    var message: String
  }

  @discardableResult
  func git(_ arguments: String..., committed time: Int? = nil) async throws -> String {
    try await git(arguments, committed: time)
  }

  @discardableResult
  func git(
    _ arguments: [String], in folder: String? = nil, committed time: Int? = nil
  ) async throws -> String {
    var environment: [Environment.Key: String] = [:]
    var variables = Self.environment(home: self.folder)
    if let time { variables["GIT_COMMITTER_DATE"] = "\(time) +0000" }
    for (name, value) in variables {
      if let key = Environment.Key(rawValue: name) { environment[key] = value }
    }
    let result = try await run(
      .name("git"), arguments: Arguments(["-C", folder ?? root] + arguments),
      environment: .custom(environment),
      output: .string(limit: 1 << 24),
      error: .string(limit: 1 << 20))
    guard result.terminationStatus.isSuccess else {
      throw GitFailed(arguments: arguments, message: result.standardError + result.standardOutput)
    }
    return result.standardOutput
  }

  /// All files below a folder, without those of git and of other repositories.
  func scan(below prefix: String = "") throws -> [FoundFile] {
    var found: [FoundFile] = []
    var folders: [EntryPath?] = [nil]
    let top = prefix.isEmpty ? root : root + "/" + prefix
    while let folder = folders.popLast() {
      let place = (Array(top.utf8) + [0x2F] + (folder?.bytes ?? [0x2E]) + [0]).map(
        CChar.init(bitPattern:))
      let directory = try #require(opendir(place))
      defer { closedir(directory) }
      while let item = readdir(directory) {
        let name = withUnsafePointer(to: &item.pointee.d_name) { name in
          name.withMemoryRebound(to: UInt8.self, capacity: 256) { start in
            Array(UnsafeBufferPointer(start: start, count: 256).prefix { $0 != 0 })
          }
        }
        guard let path = EntryPath(name, in: folder), name != Array(".git".utf8) else { continue }
        let file = (Array(top.utf8) + [0x2F] + path.bytes).map(CChar.init(bitPattern:))
        var status = stat()
        try #require(lstat(file + [0], &status) == 0)
        if status.st_mode & S_IFMT == S_IFDIR {
          let git = file + "/.git".utf8.map(CChar.init(bitPattern:)) + [0]
          if access(git, F_OK) != 0 { folders.append(path) }
        } else if status.st_mode & S_IFMT == S_IFREG {
          found.append(
            FoundFile(
              path: path, signature: FileSignature(status),
              statusChangedAt: FileSignature.nanoseconds(status.st_ctim)))
        }
      }
    }
    return found
  }

  /// Writes a file in the work tree. Its modification time is old, so its signature is reliable.
  func write(_ path: String, _ text: String, executable: Bool = false) throws {
    try write(#require(EntryPath(path)), Array(text.utf8), executable: executable)
  }

  func write(_ path: EntryPath, _ bytes: [UInt8], executable: Bool = false) throws {
    var above = path.folder
    var folders: [EntryPath] = []
    while let next = above {
      folders.insert(next, at: 0)
      above = next.folder
    }
    for folder in folders { mkdir(diskPath(folder), 0o755) }
    let mode: mode_t = executable ? 0o755 : 0o644
    let descriptor = Glibc.open(diskPath(path), O_WRONLY | O_CREAT | O_TRUNC, mode)
    if descriptor < 0 { throw CocoaError(.fileWriteUnknown) }
    defer { close(descriptor) }
    fchmod(descriptor, mode)
    #expect(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    let times = [
      timespec(tv_sec: 1_690_000_000 + bytes.count, tv_nsec: 5),
      timespec(tv_sec: 1_690_000_000 + bytes.count, tv_nsec: 5),
    ]
    futimens(descriptor, times)
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: root + "/" + path)
  }

  func diskPath(_ path: EntryPath) -> [CChar] {
    (Array((root + "/").utf8) + path.bytes).map { CChar(bitPattern: $0) } + [0]
  }

  /// Opens the journal in `subfolder` of the work tree.
  func open(journal subfolder: String = "") throws -> GitRepository {
    try GitRepository(#require(try RepositoryLocation.find(journal: root + "/" + subfolder)))
  }

  /// A reader of files like DiaryKit's. It returns nil if the file is missing.
  func reader(below subfolder: String = "") -> @Sendable (EntryPath) throws -> FileContents? {
    let root = self.root + (subfolder.isEmpty ? "" : "/" + subfolder)
    return { path in
      let name = (Array((root + "/").utf8) + path.bytes).map { CChar(bitPattern: $0) } + [0]
      let descriptor = Glibc.open(name, O_RDONLY)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var status = stat()
      fstat(descriptor, &status)
      var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
      let count = Glibc.read(descriptor, &bytes, bytes.count)
      guard count == bytes.count else { return nil }
      return FileContents(
        bytes: bytes,
        signature: FileSignature(
          size: Int64(status.st_size),
          modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec),
          inode: UInt64(status.st_ino), mode: status.st_mode),
        readAt: 0)
    }
  }

  /// The changes of the paths, with the content on disk.
  func changes(_ paths: [String], below subfolder: String = "") throws -> [FileChange] {
    let read = reader(below: subfolder)
    return try paths.map { text in
      let path = try #require(EntryPath(text))
      guard let content = try read(path) else { return .delete(path) }
      return .write(path, content.bytes, executable: content.signature.isExecutable)
    }
  }
}

func realPath(_ path: String) -> String? {
  guard let found = realpath(path, nil) else { return nil }
  defer { free(found) }
  return String(cString: found)
}

extension GitRepository {
  /// Saves `paths` as they are on disk.
  @discardableResult
  func save(_ sandbox: TestRepository, _ paths: [String], at time: Int = 1_700_000_100) throws
    -> NewSave?
  {
    try save(sandbox.changes(paths), message: "Save", at: time, offsetMinutes: 540)
  }

  /// The possible changes, with a scan of all visible files as `EntryFiles` makes it.
  func possibleChanges(_ box: TestRepository, below prefix: String = "") throws -> [EntryPath] {
    try possibleChanges(try box.scan(below: prefix))
  }

  func commitSitting(
    _ sandbox: TestRepository, _ paths: [String]? = nil, timeout: Duration = .zero
  ) async throws -> SittingOutcome {
    try await commitSitting(
      paths?.compactMap { EntryPath($0) }, read: sandbox.reader(),
      message: { "Edit \($0.map(\.path.text).joined(separator: ", "))" }, at: 1_700_000_200,
      offsetMinutes: 540, timeout: timeout)
  }
}

extension SittingOutcome {
  var paths: [String]? {
    if case .committed(_, let paths, _) = self { paths.map(\.text) } else { nil }
  }
  var heldBack: [String] {
    switch self {
    case .committed(_, _, let held), .nothing(let held): held.map(\.text)
    case .deferred: []
    }
  }
}

extension TestRepository {
  /// Makes a commit of the user with these files; `nil` deletes one.
  func commit(_ files: [String: String?], _ message: String, at time: Int = 1_700_000_000)
    async throws
  {
    for (path, text) in files where text == nil { try remove(path) }
    for (path, text) in files {
      if let text { try write(path, text) }
    }
    try await git("add", "-A")
    try await git("commit", "-q", "--date=\(time) +0900", "-m", message, committed: time)
  }

  func id(_ name: String) async throws -> CommitID {
    try #require(ObjectID(try await git("rev-parse", name).trimmed))
  }
}

extension String {
  /// The text without white space at its ends.
  var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

extension MergeRules {
  /// Rules by which every visible Markdown file is an entry of the day in its name.
  static let byName = MergeRules(
    isEntry: { $0.isMarkdown && !$0.isHidden }, day: { path, _ in path.impliedDay })
}
