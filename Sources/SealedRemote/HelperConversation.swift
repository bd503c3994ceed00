import Foundation
import Glibc
import Localization

/// The conversation with git: its lines in, the answers out (`gitremote-helpers(7)`).
package struct HelperConversation {
  private let session: SealedSession
  private let readLine: () -> [UInt8]?
  private let write: (String) -> Void
  private var (isAtomic, isDry) = (false, false)
  private var expected: [RefName: String] = [:]
  /// The refs that git has been told.
  private var listed: [RefName: String]?

  package init(
    _ session: SealedSession, readLine: @escaping () -> [UInt8]?,
    write: @escaping (String) -> Void
  ) {
    self.session = session
    self.readLine = readLine
    self.write = write
  }

  /// Answers git until it has no more commands.
  package mutating func run() throws(SealedError) {
    while let line = try nextLine(), !line.isEmpty {
      let words = line.split(separator: " ", maxSplits: 1)
      switch words.first {
      case "capabilities": write("fetch\npush\noption\n\n")
      case "option" where words.count == 2: write(option(words[1]) + "\n")
      case "list": try list()
      case "fetch" where words.count == 2: try fetch(first: words[1])
      case "push" where words.count == 2: try push(first: words[1])
      default: throw SealedError(localized("git sent an unknown line: \(line)"))
      }
    }
    // git has closed its end, and waits.
    EndRequest.followsInput = false
    session.foldIfDue()
  }

  /// The next line; `nil` at the end. A byte that is not UTF-8 would come back as another name, and git
  /// would take a ref of which it hears nothing for one that is up to date.
  private func nextLine() throws(SealedError) -> String? {
    guard let bytes = readLine() else { return nil }
    guard let line = String(validating: bytes, as: UTF8.self) else {
      let text = String(decoding: bytes, as: UTF8.self)
      throw SealedError(
        localized("a name is not in UTF-8, which a sealed remote cannot hold: \(text)"),
        hint: localized("rename it, or push the others by their names; nothing was sent"))
    }
    return line
  }

  private mutating func option(_ text: Substring) -> String {
    let words = text.split(separator: " ", maxSplits: 1)
    guard words.count == 2 else { return "unsupported" }
    let value = words[1]
    switch words[0] {
    case "verbosity": return "ok"
    case "progress": session.showsProgress = value == "true"
    case "dry-run": isDry = value == "true"
    case "atomic": isAtomic = value == "true"
    case "pushcert" where value == "if-asked": break
    // git itself checks what this asks for.
    case "force-if-includes": break
    // It is for the program of a host that reads what is pushed.
    case "push-option": break
    case "cas":
      let text = Self.unquoted(value)
      guard let colon = text.lastIndex(of: ":") else {
        return "error \(localized("invalid value"))"
      }
      expected[RefName(String(text[..<colon]))] = String(text[text.index(after: colon)...])
    default: return "unsupported"
    }
    return "ok"
  }

  /// A value that git has put in quotes, because it is not ASCII alone (`core.quotePath` in
  /// `git-config(1)`).
  static func unquoted(_ text: Substring) -> String {
    guard text.count > 1, text.first == "\"", text.last == "\"" else { return String(text) }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8.dropFirst().dropLast())[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      if rest.count >= 3,
        let octal = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
      {
        bytes.append(octal)
        rest = rest.dropFirst(3)
      } else if let next = rest.popFirst() {
        bytes.append(next)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The lines up to the next empty one.
  private func batch(_ command: String, first: Substring) throws(SealedError) -> [Substring] {
    var lines = [first]
    while true {
      // A command that was cut off is not carried out.
      guard let line = try nextLine() else { throw SealedError(localized("it was interrupted")) }
      if line.isEmpty { break }
      guard line.hasPrefix(command + " ") else {
        throw SealedError(localized("git sent an unknown line: \(line)"))
      }
      lines.append(line.dropFirst(command.count + 1))
    }
    return lines
  }

  private mutating func list() throws(SealedError) {
    let refs = try session.locked { () throws(SealedError) in try session.update().refs }
    listed = refs.refs
    let lines = refs.refs.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key.text)\n" }
    let head = refs.refs[refs.head] == nil ? "" : "@\(refs.head.text) HEAD\n"
    write(lines.joined() + head + "\n")
  }

  private func fetch(first: Substring) throws(SealedError) {
    let objects = try batch("fetch", first: first).map { String($0.prefix(40)) }
    try session.fetch(objects)
    write("\n")
  }

  private mutating func push(first: Substring) throws(SealedError) {
    let updates = try batch("push", first: first).map { (text) throws(SealedError) in
      guard let update = RefUpdate(text, expecting: expected) else {
        throw SealedError(localized("git sent an unknown line: \(String(text))"))
      }
      return update
    }
    let refused = try session.push(updates, listed: listed, isAtomic: isAtomic, isDry: isDry)
    let answers = updates.map { update in
      refused[update.name].map { "error \(update.name.text) \($0)\n" }
        ?? "ok \(update.name.text)\n"
    }
    write(answers.joined() + "\n")
  }
}

extension SealedSession {
  /// Brings these objects, and all that the remote has, to the repository.
  fileprivate func fetch(_ objects: [String]) throws(SealedError) {
    try locked { () throws(SealedError) in
      let state = try current()
      try take(state)
      guard let repository, try repository.isWhole(Set(objects)) else {
        throw .damaged(CarrierFile.bundles, localized("objects are missing in them"))
      }
      try? shrinkCopy(of: state)
    }
  }
}
