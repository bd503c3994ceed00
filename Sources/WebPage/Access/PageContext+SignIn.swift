import HTTPTypes
import HummingbirdCore
import Localization

extension PageContext {
  /// The page of a sign-in link. Its script sends the code and then opens the list. The code is
  /// after the `#`, so it does not appear in logs.
  func signInDocument() -> Response {
    let message = localized("Signing in this browser. JavaScript is required for this.")
    let script = server.assets.address(of: "open.js")
    return .document(
      """
      <!DOCTYPE html>
      <html><head><meta charset="utf-8"><title>Diary</title>
      <meta name="viewport" content="width=device-width">
      <link rel="icon" href="\(server.assets.address(of: "icon.svg"))">
      <script src="\(script)" defer></script></head>
      <body><p id="message">\(message)</p></body></html>
      """)
  }

  /// Signs in the browser if its code is valid.
  func signIn() async throws -> Response {
    struct Code: Decodable { let code: String }
    let code = try await json(Code.self).code
    switch server.signInCodes.redeem(code) {
    case .valid:
      let secret = try server.sessions.create(port: server.port)
      let name = SessionCookie.name(port: server.port)
      let cookie =
        "\(name)=\(secret); Path=/; Max-Age=\(Sessions.lifetime); HttpOnly; SameSite=Strict"
      return Response(status: .noContent, headers: [.setCookie: cookie])
    case .invalid:
      throw PageFailure(
        status: .forbidden, kind: .failed,
        what: localized("the link was opened before, or more than a minute ago"),
        hint: localized("run `diary web` again for a new one"))
    case .tooManyAttempts:
      throw PageFailure(
        status: .tooManyRequests, kind: .failed, what: localized("too many wrong links"),
        hint: localized("wait a minute, then run `diary web` again"))
    }
  }
}
