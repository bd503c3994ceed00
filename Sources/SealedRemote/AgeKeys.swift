import Foundation
import Glibc
import Localization

/// The user's keys, one file each, and the program that encrypts with them.
///
/// No key and no recipient is ever an argument, a variable, or in a message: who knows the recipient can
/// write what every device would believe.
package struct AgeKeys {
  /// The folder for new key files: `keys` in the personal settings, or in a journal that locks.
  package let folder: String
  /// All folders with key files, the repository's own first.
  let folders: [String]
  let environment: [String: String]

  /// - Parameters:
  ///   - repository: the private folder of a repository, which may have keys of its own.
  ///   - staysInside: true if new keys are stored there.
  package init(
    environment: [String: String], repository: String? = nil, staysInside: Bool = false
  ) {
    let base =
      environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? (environment["HOME"] ?? "/") + "/.config"
    folders = [repository, base + "/diary"].compactMap { $0.map { $0 + "/keys" } }
    folder = staysInside ? folders[0] : base + "/diary/keys"
    self.environment = environment
  }

  /// The key files, the one of this remote first.
  func files(for id: String) -> [String] {
    let files = folders.flatMap { Self.files(in: $0) }
    let isOwn = { (file: String) in file.hasSuffix("/\(id).txt") }
    return files.filter(isOwn) + files.filter { !isOwn($0) }
  }

  static func files(in folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".txt") && !$0.hasPrefix(".") }.sorted().map {
      "\(folder)/\($0)"
    }
  }

  /// The key for a remote that has no content yet: its own, else the only one.
  func fileForNewRemote(_ id: String) throws(SealedError) -> String {
    let files = files(for: id)
    if let first = files.first, files.count == 1 || first.hasSuffix("/\(id).txt") { return first }
    throw SealedError(
      files.isEmpty
        ? localized("there is no key for this sealed remote")
        : localized("several keys are there, and none is named for this new sealed remote"),
      hint: localized("the key is an age identity in the file \(folder)/\(id).txt"))
  }

  /// The plain text of an encrypted one, and the file whose key opens it.
  ///
  /// - Parameter known: the file that opened the last one.
  func open(
    _ text: [UInt8], for id: String, known: String?
  ) throws(SealedError) -> (text: [UInt8], key: String) {
    let files = (known.map { [$0] } ?? []) + self.files(for: id)
    var failure: String?
    var broken = ""
    for file in files {
      let result = try run(["-d", "-i", file], input: text)
      if result.status == 0 { return (result.output, file) }
      if result.errors.contains("reading \"\(file)\"") {
        broken = localized("\(file) is no whole key; ")
      } else if result.errors.contains("failed to read header")
        || result.errors.contains("payload chunk")
      {
        throw .damaged(CarrierFile.refs, result.reason)
      } else if !result.errors.contains("no identity matched") {
        failure = failure ?? result.reason
      }
    }
    if let failure {
      throw SealedError(localized("age cannot open the sealed remote: \(failure)"))
    }
    throw SealedError(
      files.isEmpty
        ? localized("there is no key for this sealed remote")
        : localized("this remote is sealed with another key"),
      hint: broken
        + localized(
          "`diary key add` stores its key in \(folder)/, or inside of a journal that locks"))
  }

  func sealed(_ text: [UInt8], key: String) throws(SealedError) -> [UInt8] {
    let result = try run(["-e", "-i", key], input: text)
    guard result.status == 0 else { throw Self.cannotSeal(result) }
    return result.output
  }

  /// Opens a file into another; false if it is damaged, or sealed with another key.
  func open(_ file: Int32, into output: Int32, key: String) throws(SealedError) -> Bool {
    lseek(file, 0, SEEK_SET)
    let result = try run(["-d", "-i", key], inputFile: file, outputFile: output)
    guard !result.failedHere, access(key, R_OK) == 0 else {
      throw SealedError(localized("age cannot open the sealed remote: \(result.reason)"))
    }
    return result.status == 0
  }

  func seal(_ file: Int32, into output: Int32, key: String) throws(SealedError) {
    lseek(file, 0, SEEK_SET)
    let result = try run(["-e", "-i", key], inputFile: file, outputFile: output)
    guard result.status == 0 else { throw Self.cannotSeal(result) }
  }

  private static func cannotSeal(_ result: ChildProcess) -> SealedError {
    SealedError(localized("age cannot encrypt: \(result.reason)"))
  }

  private func run(
    _ arguments: [String], input: [UInt8] = [], inputFile: Int32? = nil, outputFile: Int32? = nil
  ) throws(SealedError) -> ChildProcess {
    try requirePrograms(["age"])
    return try ChildProcess.run(
      ["age"] + arguments, environment: environment, input: input, inputFile: inputFile,
      outputFile: outputFile)
  }
}
