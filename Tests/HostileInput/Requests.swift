import DiaryCore
import Foundation
import HTTPTypes
import Localization

@testable import WebPage

private let port = 4934
private let origin = "127.0.0.1:4934"

/// Checks a request that a program on the machine can send to the web page's server. The parts are
/// a method, a target, the header fields (one a line) and a body.
func requestComplaint(_ input: [UInt8]) -> String? {
  let parts = parts(input, 4)
  let target = decodedText(parts[1])
  let fields = decodedText(parts[2]).split(whereSeparator: \.isNewline).compactMap { line in
    let ends = line.split(separator: ":", maxSplits: 1)
    return ends.count == 2
      ? (name: String(ends[0]), value: trimmed(ends[1])) : nil
  }
  func values(_ name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name }.map(\.value)
  }
  let complaint =
    guardComplaint(decodedText(parts[0]), target, fields)
    ?? cookieComplaint(values("cookie"))
    ?? values("range").compactMap(rangeComplaint).first
    ?? values("accept-language").compactMap(languageComplaint).first
  return complaint ?? addressComplaint(target) ?? bodyComplaint(parts[3], target)
    ?? comparisonComplaint(parts[1], parts[3])
}

/// Checks every accepted request, without the guard's own code.
private func guardComplaint(
  _ method: String, _ target: String, _ fields: [(name: String, value: String)]
) -> String? {
  guard let method = HTTPRequest.Method(method) else { return nil }
  // The server's HTTP parser uses the first `Host` as the request's authority.
  var rest = fields
  let host = rest.firstIndex { $0.name.lowercased() == "host" }.map { rest.remove(at: $0).value }
  var head = HTTPRequest(method: method, scheme: "http", authority: host, path: target)
  for (name, value) in rest {
    HTTPField.Name(name).map { head.headerFields.append(HTTPField(name: $0, value: value)) }
  }
  func sent(_ name: String) -> [String] {
    head.headerFields.filter { $0.name.rawName.lowercased() == name }.map(\.value)
  }
  // As the server receives them, without values that no field can have.
  let hosts = [head.authority].compactMap(\.self) + sent("host")
  let target = head.path ?? ""
  let isReading = ["GET", "HEAD"].contains(method.rawValue)
  let path = String(target.prefix { $0 != "?" })
  for isReadOnly in [false, true] {
    let access = AccessGuard(port: port, isReadOnly: isReadOnly)
    let verdicts = [false, true].map { known in access.verdict(on: head) { _ in known } }
    if case .refuse(let status) = verdicts[0], verdicts[1] != .refuse(status) {
      return "a session changes what is refused"
    }
    for (verdict, isSignedIn) in zip(verdicts, [false, true]) {
      if case .refuse = verdict { continue }
      if verdict == .redirect {
        if hosts != ["localhost:\(port)"] || !isReading { return "led to the page" }
        continue
      }
      if hosts != [origin] || !target.hasPrefix("/") { return "answered by another name" }
      if !sent("upgrade").isEmpty { return "another protocol" }
      let sites = sent("sec-fetch-site")
      if isReading {
        if !sites.allSatisfy({ ["same-origin", "none"].contains($0) }) { return "read from afar" }
      } else {
        if !["POST", "PUT", "DELETE"].contains(method.rawValue) { return "an unknown method" }
        if sent("origin") != ["http://" + origin] { return "written from another origin" }
        if !sites.allSatisfy({ $0 == "same-origin" }) { return "written from another site" }
        let types = sent("content-type").map { $0.lowercased() }
        let forms = ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded"]
        let isForm = types.contains { type in
          forms.contains(trimmed(type.prefix { $0 != ";" }))
        }
        if isForm { return "a form" }
      }
      guard case .pass(let isKnown) = verdict else { continue }
      if isKnown != isSignedIn { return "signed in by nothing" }
      if !isKnown, path != "/open", !(isReading && path.hasPrefix("/a/")) {
        return "let in without a session"
      }
      if isReadOnly, !isReading, path != "/open" { return "a write where there is none" }
    }
  }
  return nil
}

private func cookieComplaint(_ fields: [String]) -> String? {
  let found = SessionCookie.values(in: fields, port: port)
  if found.count > 8 || found.contains(where: { $0.contains(";") }) { return "more than a cookie" }
  if SessionCookie.values(in: ["\(SessionCookie.name(port: port + 1))=a"] + fields, port: port)
    != found
  {
    return "a cookie of another port"
  }
  let own = SessionCookie.values(
    in: ["a=b; \(SessionCookie.name(port: port))=c"] + fields, port: port)
  return own == Array((["c"] + found).prefix(8)) ? nil : "our cookie is not found"
}

private func rangeComplaint(_ field: String) -> String? {
  for size in [0, 1, 10, Int.max - 1] {
    switch ByteRange(field, size: size) {
    case .all: continue
    case .unsatisfiable: if field.hasPrefix("bytes=") { continue }
    case .part(let range):
      if !range.isEmpty, range.lowerBound >= 0, range.upperBound <= size { continue }
    }
    return "\(field.debugDescription) of \(size) bytes"
  }
  return nil
}

private func languageComplaint(_ field: String) -> String? {
  let language = UserLanguage(accepting: field)
  let isTag = language.locale.utf8.allSatisfy {
    $0 == UInt8(ascii: "-") || Character(UnicodeScalar($0)).isASCIIWord
  }
  return isTag ? nil : "no language: \(language.locale.debugDescription)"
}

/// Checks that a target cannot leave the journal, and that a generated address is found again.
private func addressComplaint(_ target: String) -> String? {
  for rest in [target[...], target.drop { $0 == "/" }, target.dropFirst(3)] {
    guard let path = EntryPath(urlPath: rest) else { continue }
    if path.bytes.contains(0) || path.bytes.first == UInt8(ascii: "/") { return "no path" }
    if path.names.contains(where: { $0.isEmpty || $0.first == UInt8(ascii: ".") }) {
      return "a hidden name, or a way out: \(path.text)"
    }
    let address = path.urlPath
    if address.utf8.count <= 4_096, EntryPath(urlPath: address[...]) != path {
      return "\(path.text) is not found at its address"
    }
  }
  let query = "a=1&q=\(percentEncoded(target))&q=2"
  return queryValue("q", in: query) == target ? nil : "the query has other words"
}

private func bodyComplaint(_ bytes: [UInt8], _ name: String) -> String? {
  if let text = decodedJSON(SubmittedText.self, bytes) {
    guard
      let again = try? JSONEncoder().encode(["title": text.title, "body": text.body]),
      let same = decodedJSON(SubmittedText.self, Array(again)),
      same.title.utf8.elementsEqual(text.title.utf8), same.body.utf8.elementsEqual(text.body.utf8)
    else { return "the text that was sent is another one" }
  }
  guard let kind = MediaKind(bytes) else { return nil }
  guard let name = kind.fileName(name) else { return nil }
  guard let path = EntryPath(name), path.names.count == 1, !path.isHidden, !path.isMarkdown,
    kind.extensions.contains(path.fileExtension), name.utf8.count <= 200, terminalName(name) == name
  else { return "an upload becomes \(name.debugDescription)" }
  return nil
}

private func comparisonComplaint(_ first: [UInt8], _ second: [UInt8]) -> String? {
  for (one, other) in [(first, second), (first, first), (second, second + [0])] {
    if isEqualInConstantTime(one, other) != (one == other) { return "equal and not" }
  }
  return nil
}

extension Character {
  fileprivate var isASCIIWord: Bool { isASCII && (isLetter || isNumber) }
}
