import CLibgit2
import DiaryCore
import Glibc

extension RepositoryLocation {
  /// Returns the folders of Diary's lines in `.git/info/exclude`: `/` or `/notes/`.
  package func journalFoldersInExclude() throws(GitError) -> [String] {
    let bytes = try readFile(commonDirectory + "/info/exclude") ?? []
    let end = "**/.diary-*.tmp"
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("/") && $0.hasSuffix(end) }.map { String($0.dropLast(end.count)) }
  }

  /// True if this is the journal's own repository, or an outer one in which the journal was made.
  /// Then Diary's lines name the folder or, in a clone, git's index has the journal's settings.
  package func hasJournal() throws(GitError) -> Bool {
    guard let prefix else { return true }
    if try journalFoldersInExclude().contains("/\(prefix.text)/") { return true }
    guard let settings = prefix.appending(".diary/config.yml".utf8),
      let bytes = try readFile(gitDirectory + "/index"),
      let index = try? GitIndex(bytes)
    else { return false }
    return index.entry(at: settings) != nil
  }
}

extension GitRepository {
  static let startMarker = "# diary: begin"
  static let endMarker = "# diary: end"

  /// Writes Diary's lines into `.git/info/exclude` and `.git/info/attributes`, between marker
  /// lines, replacing the previous ones. Clones neither contain nor copy them.
  package func installLocalLines(exclude: [String], attributes: [String]) throws(GitError) {
    try replaceLines(in: "exclude", by: exclude)
    try replaceLines(in: "attributes", by: attributes)
  }

  /// Removes Diary's lines; the user's lines stay byte for byte.
  package func removeLocalLines() throws(GitError) {
    try installLocalLines(exclude: [], attributes: [])
  }

  /// Sets keys of the repository's own configuration (`merge.diary.driver`).
  package func setLocalConfig(_ values: [(key: String, value: String)]) throws(GitError) {
    try withLocalConfig { config throws(GitError) in
      for (key, value) in values {
        try GitError.check(git_config_set_string(config, key, value), "set \(key) in", configPath)
      }
    }
  }

  /// Removes keys from the repository's own configuration, and each section that becomes empty.
  package func removeLocalConfig(_ keys: [String]) throws(GitError) {
    try withLocalConfig { config throws(GitError) in
      for key in keys {
        let code = git_config_delete_entry(config, key)
        if code == GIT_ENOTFOUND.rawValue { continue }
        try GitError.check(code, "remove \(key) from", configPath)
      }
    }
    for section in Set(keys.map { String($0.prefix(upTo: $0.lastIndex(of: ".") ?? $0.endIndex)) }) {
      try removeEmptySection(section)
    }
  }

  private var configPath: String { location.commonDirectory + "/config" }

  private func withLocalConfig(
    _ body: (OpaquePointer?) throws(GitError) -> Void
  ) throws(GitError) {
    var all: OpaquePointer?
    try GitError.check(git_repository_config(&all, repository), "open", configPath)
    defer { git_config_free(all) }
    var local: OpaquePointer?
    try GitError.check(
      git_config_open_level(&local, all, GIT_CONFIG_LEVEL_LOCAL), "open", configPath)
    defer { git_config_free(local) }
    // libgit2 says nothing of the cause.
    let lock = configPath + ".lock"
    guard access(lock, F_OK) != 0 else {
      throw GitError("change", configPath, .locked, "another git has \(lock)")
    }
    try body(local)
  }

  /// Removes a section's heading, which libgit2 leaves when the last key is removed.
  private func removeEmptySection(_ section: String) throws(GitError) {
    guard let bytes = try readFile(configPath) else { return }
    let names = section.split(separator: ".", maxSplits: 1)
    let heading = names.count == 2 ? "[\(names[0]) \"\(names[1])\"]" : "[\(section)]"
    var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard let found = lines.firstIndex(where: { $0.elementsEqual(heading.utf8) }) else { return }
    let next = lines[(found + 1)...].lazy.compactMap { line in
      line.first { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") && $0 != UInt8(ascii: "\r") }
    }.first
    guard next == nil || next == UInt8(ascii: "[") else { return }
    lines.remove(at: found)
    try replace(configPath, Array(lines.joined(separator: [UInt8(ascii: "\n")])))
  }

  private func replaceLines(in name: String, by lines: [String]) throws(GitError) {
    let path = location.commonDirectory + "/info/" + name
    let old = try readFile(path) ?? []
    var userLines: [ArraySlice<UInt8>] = []
    var isDiaryLine = false
    for line in old.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.elementsEqual(Self.startMarker.utf8) { isDiaryLine = true }
      if !isDiaryLine { userLines.append(line) }
      if line.elementsEqual(Self.endMarker.utf8) { isDiaryLine = false }
    }
    var new = Array(userLines.joined(separator: [UInt8(ascii: "\n")]))
    if !lines.isEmpty {
      if let last = new.last, last != UInt8(ascii: "\n") { new.append(UInt8(ascii: "\n")) }
      let block = ([Self.startMarker] + lines + [Self.endMarker]).joined(separator: "\n") + "\n"
      new += Array(block.utf8)
    }
    guard new != old else { return }
    try makeFolders(parent(of: path))
    try replace(path, new)
  }

  private func replace(_ path: String, _ bytes: [UInt8]) throws(GitError) {
    var status = stat()
    let mode = stat(path, &status) == 0 ? status.st_mode & 0o777 : 0o644
    let target = realPath(path) ?? path
    let tempPath = target + ".diary-\(getpid())"
    unlink(tempPath)
    try writeNewFile(tempPath, bytes, mode: mode)
    guard rename(tempPath, target) == 0 else { throw GitError.system("replace", target) }
    try syncFile(parent(of: target))
  }
}
