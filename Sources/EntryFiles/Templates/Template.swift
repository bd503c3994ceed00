import DiaryCore
import Glibc

/// A template for new entries: an ordinary entry with `{{placeholders}}`.
package struct Template: Sendable, Equatable {
  /// The file name without `.md`.
  package let name: String
  /// The whole text, header and body.
  package let text: String

  /// Creates a template.
  package init(name: String, text: String) {
    self.name = name
    self.text = text
  }

  /// The template with this name: the journal's (`.diary/templates`), else the user's, else the
  /// built-in one. `nil` if there is none, or the name is not a plain file name.
  package static func find(
    named name: String, in journal: JournalFolder, personal: String?, builtIn: [String: String]
  ) throws(FileError) -> Template? {
    guard let file = EntryPath(name + ".md"), file.folder == nil, !file.isHidden else { return nil }
    if let path = EntryPath(journalFolder + "/\(name).md"), let own = try journal.read(path) {
      return Template(name: name, text: String(decoding: own.bytes, as: UTF8.self))
    }
    if let folder = try open(personal), let own = try folder.read(file) {
      return Template(name: name, text: String(decoding: own.bytes, as: UTF8.self))
    }
    return builtIn[name].map { Template(name: name, text: $0) }
  }

  /// The names of all available templates, sorted.
  package static func names(
    in journal: JournalFolder, personal: String?, builtIn: [String: String]
  ) -> [String] {
    var names = Set(builtIn.keys)
    names.formUnion(Self.names(in: journal, under: journalFolder))
    if let folder = try? open(personal) { names.formUnion(Self.names(in: folder, under: ".")) }
    return names.sorted()
  }

  private static let journalFolder = ".diary/templates"

  /// Opens the folder of the user's templates; `nil` if it does not exist.
  private static func open(_ personal: String?) throws(FileError) -> JournalFolder? {
    guard let personal else { return nil }
    do {
      return try JournalFolder(root: personal)
    } catch {
      if error.reason == .absent || error.code == ENOTDIR { return nil }
      throw error
    }
  }

  private static func names(in root: JournalFolder, under folder: String) -> [String] {
    let number = openBeneath(root.rootDescriptor, Array(folder.utf8), O_RDONLY | O_DIRECTORY)
    guard number >= 0 else { return [] }
    let directory = Descriptor(owning: number)
    return (listFolder(directory.number) ?? []).compactMap { listed in
      guard let path = EntryPath(bytes: listed.name), path.isText, !path.isHidden,
        path.name.hasSuffix(".md"), listed.kind != UInt8(DT_DIR)
      else { return nil }
      return path.stem
    }
  }
}
