import Foundation
import Glibc
import Localization

extension AgeKeys {
  /// Whether a key of this device opens a remote.
  package enum Match: Equatable {
    /// The key in this file opens the remote.
    case file(String)
    /// No key here opens it.
    case closed
    /// Nothing of the remote has been fetched yet.
    case unknown
  }

  /// The file whose key opens what this repository has of a remote. The host is not asked.
  package func match(
    remote address: String, repository gitDirectory: String, currentFolder: String
  ) throws(SealedError) -> Match {
    try requirePrograms()
    let environment = self.environment.merging(["GIT_DIR": gitDirectory]) { $1 }
    let id = try HostAddress(address, currentFolder: currentFolder).id(
      GitRunner(environment: environment))
    let folder = try UserRepository(environment: environment, id: id).folder
    let copy = GitRunner(arguments: ["--git-dir=\(folder)/\(id).git"], environment: environment)
    var refs = try copy.run(["cat-file", "blob", "refs/heads/sealed:\(CarrierFile.refs)"])
    // A host that lost all is sealed again with the key that opened what was seen there.
    if refs.status != 0, let seen = SeenState(at: "\(folder)/\(id).seen") {
      refs = try copy.run(["cat-file", "blob", "\(seen.commit):\(CarrierFile.refs)"])
    }
    guard refs.status == 0 else {
      return ownFile(of: id).map { .file($0) } ?? .unknown
    }
    return (try? open(refs.output, for: id, known: nil)).map { .file($0.key) } ?? .closed
  }

  /// True for the errors that no key here opens the remote, as git passes them on.
  package static func isMissingKey(_ message: String) -> Bool {
    [
      localized("there is no key for this sealed remote"),
      localized("this remote is sealed with another key"),
    ].contains(message)
  }

  /// The key in a file; `nil` if it is no age identity in Bech32.
  package func identity(in path: String) -> AgeIdentity? {
    (try? String(contentsOfFile: path, encoding: .utf8)).flatMap { try? AgeIdentity($0) }
  }

  /// The file with this key.
  ///
  /// - Parameter folder: the folder in which it must be; `nil` for any.
  package func file(with identity: AgeIdentity, in folder: String? = nil) -> String? {
    (folder.map(Self.files(in:)) ?? files(for: "")).first { self.identity(in: $0) == identity }
  }

  /// The file that is named for a remote.
  private func ownFile(of name: String) -> String? {
    files(for: name).first { $0.hasSuffix("/\(name).txt") }
  }

  /// Moves the keys in the repository's own folder to those of the user. Returns their new files.
  package func moveToUser() throws(SealedError) -> [String] {
    let user = AgeKeys(environment: environment)
    var moved: [String] = []
    for path in folders.dropLast().flatMap({ Self.files(in: $0) }) {
      guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
        throw .system(localized("cannot read \(path)"))
      }
      let name = String((path as NSString).lastPathComponent.dropLast(".txt".count))
      let known = user.files(for: name).first {
        (try? String(contentsOfFile: $0, encoding: .utf8)) == text
      }
      let file = if let known { known } else { try user.store(text, as: name) }
      if let file { moved.append(file) }
      unlink(path)
    }
    return moved
  }

  /// The folders and the keys that have permissions for other users, also where a link leads to them.
  package var exposedPaths: [String] {
    folders.flatMap { [$0] + Self.files(in: $0) }.filter { path in
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & 0o077 != 0
    }
  }

  /// The name, without its ending, of the file for the own key of a remote.
  package func name(forRemote address: String, currentFolder: String) throws(SealedError) -> String
  {
    try HostAddress(address, currentFolder: currentFolder).id(GitRunner(environment: environment))
  }

  /// The file, which holds one key of age. Throws if it holds another kind, or several: nobody could
  /// write it down.
  package func requireOneKey(_ file: String) throws(SealedError) -> String {
    guard identity(in: file) == nil else { return file }
    throw SealedError(
      localized("\(file) is not one key of age"),
      hint: localized("move it to another place, then try again"))
  }

  /// Makes the own key of a remote, unless it is there. Returns its file.
  package func make(_ name: String) throws(SealedError) -> (file: String, isNew: Bool) {
    if let own = ownFile(of: name) { return (try requireOneKey(own), false) }
    let made = try ChildProcess.run(["age-keygen"], environment: environment)
    guard made.status == 0 else {
      throw SealedError(localized("age-keygen cannot make a key: \(made.reason)"))
    }
    if let file = try store(AgeIdentity(made.text).line + "\n", as: name, orNumbered: false) {
      return (file, true)
    }
    // Another set-up made the key in the meantime: that one counts.
    return try make(name)
  }

  /// Stores a key in a new file of this name, or of a numbered one like it. Returns the file, which is
  /// on the disk then; `nil` if the name is taken and no other allowed.
  package func store(
    _ text: String, as name: String, orNumbered: Bool = true
  ) throws(SealedError) -> String? {
    let cannotWrite = localized("cannot write \(folder)")
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .system(cannotWrite)
    }
    let file = try WorkFile(in: folder, prefix: ".")
    guard file.descriptor.writeAll(text.utf8), fsync(file.descriptor) == 0 else {
      throw .system(cannotWrite)
    }
    for number in 1... {
      let path = "\(folder)/\(name)\(number == 1 ? "" : "-\(number)").txt"
      guard link(file.path, path) != 0 else {
        let directory = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw .system(cannotWrite) }
        return path
      }
      guard errno == EEXIST else { throw .system(cannotWrite) }
      if !orNumbered { return nil }
    }
    throw .system(cannotWrite)
  }

  /// Throws unless the programs of age are installed.
  package func requirePrograms(
    _ names: [String] = ["age", "age-keygen"]
  ) throws(SealedError) {
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    for name in names where !folders.contains(where: { access("\($0)/\(name)", X_OK) == 0 }) {
      throw SealedError(
        localized("age is not installed, and a sealed remote needs it"),
        hint: localized("install it (Debian: `sudo apt install age`)"))
    }
  }
}
