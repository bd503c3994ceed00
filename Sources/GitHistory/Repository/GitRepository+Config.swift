import CLibgit2

// The configuration that applies in the repository: its own, the user's and the system's.

extension GitRepository {
  /// Returns the text of a configuration key, or `nil` if it is not set.
  package func configValue(_ key: String) -> String? {
    handle.readConfig { config in
      var value: UnsafePointer<CChar>?
      guard git_config_get_string(&value, config, key) >= 0 else { return nil }
      return value.map { String(cString: $0) }
    }
  }

  /// True if a configuration key is set to true; `unset` if it is absent or not a Boolean.
  func isConfigured(_ key: String, unset: Bool) -> Bool {
    handle.readConfig { config in
      var value: Int32 = 0
      return git_config_get_bool(&value, config, key) >= 0 ? value != 0 : nil
    } ?? unset
  }

  /// Returns the number of a configuration key, or `unset` if it is absent or not a number.
  func configuredNumber(_ key: String, unset: Int) -> Int {
    handle.readConfig { config in
      var value: Int64 = 0
      return git_config_get_int64(&value, config, key) >= 0 ? Int(value) : nil
    } ?? unset
  }
}

extension RepositoryHandle {
  /// Calls `body` with a snapshot of the configuration; `nil` also if it cannot be read.
  func readConfig<Value>(_ body: (OpaquePointer?) -> Value?) -> Value? {
    var config: OpaquePointer?
    guard git_repository_config_snapshot(&config, pointer) >= 0 else { return nil }
    defer { git_config_free(config) }
    return body(config)
  }

  /// Returns the entries whose key has this beginning and end, each with the name in between.
  ///
  /// They are compared one by one, because libgit2 1.5 loses 20 kB at each key that a pattern does not
  /// match, also in its own search for remotes.
  func configEntries(_ start: String, _ end: String) -> [(name: String, value: String?)] {
    readConfig { config in
      GitConfigEntry.all(in: config).compactMap { entry in
        let key = entry.key
        guard key.hasPrefix(start), key.dropFirst(start.count).hasSuffix(end) else { return nil }
        return (name: String(key.dropFirst(start.count).dropLast(end.count)), value: entry.value)
      }
    } ?? []
  }
}

/// A line of a configuration.
private struct GitConfigEntry {
  let key: String
  /// `nil` for a key without `=`.
  let value: String?

  /// All entries; one that overrides another comes after it.
  static func all(in config: OpaquePointer?) -> [GitConfigEntry] {
    var entries: OpaquePointer?
    guard git_config_iterator_new(&entries, config) >= 0 else { return [] }
    defer { git_config_iterator_free(entries) }
    var found: [GitConfigEntry] = []
    var entry: UnsafeMutablePointer<git_config_entry>?
    while git_config_next(&entry, entries) >= 0, let item = entry?.pointee {
      let value = item.value.map { String(cString: $0) }
      found.append(GitConfigEntry(key: String(cString: item.name), value: value))
    }
    return found
  }
}

/// git's rule for repositories of other users (git-config(1) of git 2.46, `safe.directory`; older
/// ones lack `/*` at the end). libgit2 1.5 knows whole paths alone, and no `GIT_CONFIG_GLOBAL`.
enum SafeDirectories {
  /// True if the user's or the system's configuration names this folder, an absolute path.
  static func contain(_ folder: String) -> Bool {
    var config: OpaquePointer?
    guard git_config_open_default(&config) >= 0 else { return false }
    defer { git_config_free(config) }
    let environment = GitLibrary.environment
    if let file = environment["GIT_CONFIG_GLOBAL"], !file.isEmpty {
      git_config_add_file_ondisk(config, file, GIT_CONFIG_LEVEL_GLOBAL, nil, 0)
    }
    let values = GitConfigEntry.all(in: config).filter { $0.key == "safe.directory" }
      .map { $0.value ?? "" }
    // An empty value removes those before it.
    return values.split(separator: "", omittingEmptySubsequences: false).last?.contains { value in
      let path = value.hasPrefix("~/") ? (environment["HOME"] ?? "") + value.dropFirst() : value
      return path == "*" || path == folder
        || (path.hasSuffix("/*") && (folder + "/").hasPrefix(path.dropLast()))
    } ?? false
  }
}
