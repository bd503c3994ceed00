import DiaryCore
import EntryFormats
import Foundation

/// One file, or several separated by U+001F, as the source of an import.
private final class HostileFiles: ImportFiles {
  private let files: [String: [UInt8]]
  let names: [String]
  let isArchive = true

  init(_ parts: [[UInt8]], named name: String) {
    var files: [String: [UInt8]] = [:]
    for (index, bytes) in parts.enumerated() {
      files[index == 0 ? name : "\(index)" + name] = bytes
    }
    self.files = files
    names = files.keys.sorted()
  }

  func text(of name: String) throws -> [UInt8] { files[name] ?? [] }
  func beginning(of name: String) throws -> [UInt8] { files[name] ?? [] }
}

/// Checks one or more files of a format: the result is entries or an error with a position, and not
/// much more data than the input.
func importComplaint(_ input: [UInt8], _ format: String, _ name: String) -> String? {
  let parts = input.split(separator: 0x1F, maxSplits: 4, omittingEmptySubsequences: false)
  let files = HostileFiles(parts.map(Array.init), named: name)
  _ = ImportFormat.detect(in: files)?.name
  guard let zone = TimeZone(identifier: "Asia/Seoul"),
    let format = ImportFormat.format(named: format)
  else {
    return "no such format"
  }
  do {
    let batch = try format.entries(of: files, ImportOptions(zone: zone))
    var size = 0
    for entry in batch.entries {
      size += entry.title.utf8.count + entry.body.utf8.count + (entry.bytes?.count ?? 0)
      if entry.line < 1 { return "an entry before the first line" }
      if entry.digest.isEmpty { return "an entry without a digest" }
      if let date = entry.date, abs(date.offset) > 86_400 { return "an offset of \(date.offset)" }
      _ = entry.weather?.text(in: .imperial)
      for field in entry.fields where field.key.isEmpty { return "a field without a key" }
    }
    if size > 40 * input.count + 4096 { return "\(size) bytes of \(input.count)" }
    return nil
  } catch let error as ImportError {
    if error.line < 1 || error.column < 1 || error.reason.isEmpty { return "an error of nowhere" }
    return nil
  } catch {
    return "another error: \(error)"
  }
}

/// Checks a text in any encoding: the result is UTF-8 or an error.
func encodingComplaint(_ input: [UInt8]) -> String? {
  for name in [nil, "latin-1", "euc-kr", "shift-jis", "UTF-16"] as [String?] {
    guard let text = try? decodedText(input, encoding: name) else { continue }
    if String(validating: text, as: UTF8.self) == nil { return "no UTF-8 from \(name ?? "itself")" }
    if text.count > 4 * input.count + 16 { return "\(text.count) bytes of \(input.count)" }
  }
  return nil
}
