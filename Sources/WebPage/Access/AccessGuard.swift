import HTTPTypes

/// Who may ask what: the first thing that is decided of a request, from its head alone.
///
/// Any program of any user of the machine can speak to a port on loopback, any page that is open in the
/// browser, also one whose name was made to point here, and any other server on this host.
struct AccessGuard: Sendable {
  /// What is to be done with a request.
  enum Verdict: Equatable, Sendable {
    /// It is answered; `isSignedIn` is also `false` of what anybody may ask.
    case pass(isSignedIn: Bool)
    /// It is sent to the one address that the page has.
    case redirect
    /// There is no session.
    case signedOut
    /// It writes, and the page is for reading only.
    case readOnly
    /// It is refused, with no more words than the status has.
    case refuse(HTTPResponse.Status)
  }

  let port: Int
  let isReadOnly: Bool

  /// The verdict on a head. `hasSession` is asked about its cookies, if nothing else speaks against it.
  func verdict(
    on head: HTTPRequest, hasSession: ([String]) -> Bool
  ) -> Verdict {
    let hosts = [head.authority].compactMap(\.self) + AccessGuard.values("host", in: head)
    guard hosts.count == 1, let target = head.path, target.hasPrefix("/") else {
      return .refuse(.badRequest)
    }
    let isReading = head.method == .get || head.method == .head
    if hosts != ["127.0.0.1:\(port)"] {
      return hosts == ["localhost:\(port)"] && isReading ? .redirect : .refuse(.misdirectedRequest)
    }
    guard isReading || [.post, .put, .delete].contains(head.method) else {
      return .refuse(.methodNotAllowed)
    }
    if head.headerFields[.upgrade] != nil { return .refuse(.badRequest) }
    if let status = isReading ? readRefusal(head) : writeRefusal(head, target) {
      return .refuse(status)
    }
    let path = target.prefix { $0 != "?" }
    let isPublic = path == "/open" || (isReading && path.hasPrefix("/a/"))
    let isSignedIn = hasSession(head.headerFields[values: .cookie])
    guard isSignedIn || isPublic else { return .signedOut }
    if isReadOnly, !isReading, path != "/open" { return .readOnly }
    return .pass(isSignedIn: isSignedIn)
  }

  /// A browser says where a request comes from: our own pages, or the person. Others, such as `w3m`, do not.
  private func readRefusal(_ head: HTTPRequest) -> HTTPResponse.Status? {
    let sites = AccessGuard.values("sec-fetch-site", in: head)
    return sites.allSatisfy { $0 == "same-origin" || $0 == "none" } ? nil : .forbidden
  }

  /// What writes must come from a page of ours. Cookies do not tell that: they are sent with the requests
  /// of every page on this host, whatever its port.
  private func writeRefusal(_ head: HTTPRequest, _ target: String) -> HTTPResponse.Status? {
    let fields = head.headerFields
    let sites = AccessGuard.values("sec-fetch-site", in: head)
    guard fields[values: .origin] == ["http://127.0.0.1:\(port)"],
      sites.allSatisfy({ $0 == "same-origin" })
    else { return .forbidden }
    let types = fields[values: .contentType]
    let hasBody =
      fields[.transferEncoding] != nil || !fields[values: .contentLength].allSatisfy { $0 == "0" }
    guard hasBody || !types.isEmpty else { return nil }
    let type = types.first?.lowercased().prefix { !"; \t".contains($0) }
    let isFile = target.prefix { $0 != "?" }.hasSuffix("/files")
    // The three that a page of anywhere can send without being asked first.
    let isForm = ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded"]
      .contains(type ?? "text/plain")
    return types.count <= 1 && (isFile ? !isForm : type == "application/json")
      ? nil : .unsupportedMediaType
  }

  private static func values(_ name: String, in head: HTTPRequest) -> [String] {
    head.headerFields.filter { $0.name.canonicalName == name }.map(\.value)
  }
}
