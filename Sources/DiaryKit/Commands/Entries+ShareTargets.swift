import DiaryCore
import Foundation
import Localization

extension Entries {
  /// Writes an export to a file, either completely or not at all. An existing file is kept unless
  /// `replacing`.
  package func write(_ copy: ExportedDocument, to name: String, replacing: Bool) throws(DiaryError)
  {
    let path = journal.environment.absolutePath(of: name)
    let target = try ExportDestination(
      path, displayPath: name, isFolder: false, replacing: replacing, journal.environment)
    if copy.format == .md, path.hasPrefix(journal.root + "/"), !replacing {
      throw DiaryError(
        localized("\(name) is inside the journal and would become an entry"),
        hint: localized("name a file outside of \(journal.root)"))
    }
    let file = try ExportFile(at: target.draft, displayPath: name)
    try file.write(copy.bytes)
    try file.close()
    try target.finish()
  }

  /// Copies an export to the desktop's clipboard. Returns the program that took it, or `nil` if
  /// there is none; the caller can then try the terminal's clipboard.
  package func copyToClipboard(_ copy: ExportedDocument) async throws(DiaryError) -> String? {
    let type = copy.format.mediaType
    var commands: [[String]] = []
    if isSet("WAYLAND_DISPLAY") { commands.append(["wl-copy", "--type", type]) }
    if isSet("DISPLAY") {
      let target = copy.format == .html ? ["-target", "text/html"] : []
      commands.append(["xclip", "-selection", "clipboard"] + target)
      // xsel supports plain text only.
      if copy.format != .html { commands.append(["xsel", "--clipboard", "--input"]) }
    }
    for way in commands where journal.programs.isOnPath(way[0]) {
      if try await journal.programs.sendInput(copy.bytes, to: way) == 0 { return way[0] }
    }
    return nil
  }

  private func isSet(_ variable: String) -> Bool {
    !(journal.environment.variables[variable] ?? "").isEmpty
  }

  /// Opens a new message with the export in the user's mail program.
  package func mail(_ copy: ExportedDocument) async throws(DiaryError) {
    let text = String(decoding: copy.bytes, as: UTF8.self)
    let link = mailLink(subject: copy.title, body: text)
    guard link.utf8.count <= maxMailLinkBytes else {
      throw DiaryError(
        localized(
          "the text is too long for a mail link (\(link.utf8.count) of "
            + "\(maxMailLinkBytes) bytes), and mail programs would cut it"),
        hint: localized("write it to a file (`--output entry.html`) and attach that"))
    }
    guard journal.programs.isOnPath("xdg-open") else {
      throw DiaryError(
        localized("xdg-open is not installed, so no mail program can be opened"),
        hint: localized(
          "install xdg-utils, or pipe the text into your program: `diary share … | mail`"))
    }
    let status = try await journal.programs.sendInput([], to: ["xdg-open", link])
    guard status == 0 else {
      throw DiaryError(
        localized("cannot open a mail program (xdg-open: exit code \(status))"),
        hint: localized("`xdg-settings set default-url-scheme-handler mailto …` sets one"))
    }
  }
}

/// An argument of a program is at most 128 KiB, and mail programs accept less.
let maxMailLinkBytes = 32_000

/// Returns a `mailto:` link (RFC 6068): CRLF line ends, all but unreserved bytes escaped.
func mailLink(subject: String, body: String) -> String {
  let lines = body.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  return "mailto:?subject=" + percentEncoded(subject.filter { !$0.isNewline }) + "&body="
    + lines.map { percentEncoded(String($0)) }.joined(separator: "%0D%0A")
}
