import Glibc

/// The permissions that `core.sharedRepository` gives to files and folders of a git directory, by
/// git's rules.
struct SharedPermissions: Equatable {
  private let bits: mode_t
  /// True if the bits replace those of the umask, and are not added to them.
  private let isExact: Bool

  /// `nil` for a repository that is not shared.
  init?(_ value: String?) {
    let (group, everybody): (mode_t, mode_t) = (0o660, 0o664)
    switch value?.lowercased() {
    case nil, "umask", "0", "false", "no", "off": return nil
    case "", "group", "1", "true", "yes", "on": (bits, isExact) = (group, false)
    case "all", "world", "everybody", "2": (bits, isExact) = (everybody, false)
    case let number?:
      guard let mode = mode_t(number, radix: 8), mode & 0o600 == 0o600 else { return nil }
      (bits, isExact) = (mode & 0o666, true)
    }
  }

  /// The mode of a file or folder that was created with another one.
  func mode(of old: mode_t) -> mode_t {
    let isFolder = old & S_IFMT == S_IFDIR
    var added = bits
    if old & 0o200 == 0 { added &= ~0o222 }
    if isFolder || old & 0o100 != 0 { added |= (added & 0o444) >> 2 }
    let mode = (isExact ? old & 0o7000 : old & 0o7777) | added
    return isFolder && mode & 0o070 != 0 ? mode | mode_t(S_ISGID) : mode
  }

  /// Sets the mode. Files of other users keep theirs.
  func apply(to descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return }
    let mode = mode(of: status.st_mode)
    if mode != status.st_mode & 0o7777 { fchmod(descriptor, mode) }
  }

  /// Sets the mode of a file or folder.
  func apply(to path: String) {
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    apply(to: descriptor)
    close(descriptor)
  }
}

extension GitRepository {
  /// The configured permissions; `nil` if the repository is not shared.
  var sharedPermissions: SharedPermissions? {
    SharedPermissions(configValue("core.sharedRepository"))
  }

  /// Shares a file and the folders above it, up to the git directory.
  func share(_ path: String) {
    guard let access = sharedPermissions else { return }
    var path = path
    while path.utf8.count > location.commonDirectory.utf8.count {
      access.apply(to: path)
      path = parent(of: path)
    }
  }
}
