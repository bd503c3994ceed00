import HTTPTypes

/// Decides which requests are allowed: the first check of a request, from its head alone.
///
/// A port on loopback is open to every program of every user of the machine, every web page in the
/// browser (also with a DNS name that points here), and every other server on this host.
struct AccessGuard: Sendable {
  /// The decision on a request.
  enum Verdict: Equatable, Sendable {
    /// The request is answered. `isSignedIn` may be `false` for public addresses.
    case pass(isSignedIn: Bool)
    /// The request is redirected to the page's only origin.
    case redirect
    /// The request has no valid session.
    case signedOut
    /// The user followed a link of another site. What it leads to is not shown, but a link to the
    /// list is.
    case linked
    /// The request writes, but the page is read-only.
    case readOnly
    /// The request is refused with only a status.
    case refuse(HTTPResponse.Status)
  }

  let port: Int
  let isReadOnly: Bool

  /// The decision on a head. `hasSession` is called with its cookies if all other checks pass.
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
    guard isReading || [.post, .put, .patch, .delete].contains(head.method) else {
      return .refuse(.methodNotAllowed)
    }
    if head.headerFields[.upgrade] != nil { return .refuse(.badRequest) }
    if let status = isReading ? readRefusal(head) : writeRefusal(head, target) {
      return isNavigation(head) ? .linked : .refuse(status)
    }
    let path = target.prefix { $0 != "?" }
    let isPublic = path == "/open" || (isReading && path.hasPrefix("/a/"))
    let isSignedIn = hasSession(head.headerFields[values: .cookie])
    guard isSignedIn || isPublic else { return .signedOut }
    if isReadOnly, !isReading, path != "/open" { return .readOnly }
    return .pass(isSignedIn: isSignedIn)
  }

  /// A browser tells if a request comes from our page or the user. `w3m` and others do not.
  private func readRefusal(_ head: HTTPRequest) -> HTTPResponse.Status? {
    let sites = AccessGuard.values("sec-fetch-site", in: head)
    return sites.allSatisfy { $0 == "same-origin" || $0 == "none" } ? nil : .forbidden
  }

  /// True if a browser opens the address in a tab, not in a frame or for another page's script.
  private func isNavigation(_ head: HTTPRequest) -> Bool {
    head.method == .get && AccessGuard.values("sec-fetch-mode", in: head) == ["navigate"]
      && AccessGuard.values("sec-fetch-dest", in: head) == ["document"]
  }

  /// A write must come from one of our pages. Cookies do not prove that, because browsers send them
  /// with the requests of every page on this host, on any port.
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
    let path = target.prefix { $0 != "?" }
    let isFile = path.hasSuffix("/files") || path.hasPrefix("/t/")
    // The three types that a foreign page can send without a CORS preflight.
    let isForm = ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded"]
      .contains(type ?? "text/plain")
    return types.count <= 1 && (isFile ? !isForm : type == "application/json")
      ? nil : .unsupportedMediaType
  }

  private static func values(_ name: String, in head: HTTPRequest) -> [String] {
    head.headerFields.filter { $0.name.canonicalName == name }.map(\.value)
  }
}
