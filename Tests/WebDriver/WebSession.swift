import Foundation
import TestSupport

/// A session with a browser, by the commands of WebDriver (https://www.w3.org/TR/webdriver2/).
protocol DriverSession: Sendable {
  /// Sends a command. Throws ``WebSession/Failure`` for an error of the browser.
  @discardableResult
  func send(_ method: String, _ path: String, _ body: WebValue) async throws -> WebValue
}

extension DriverSession {
  @discardableResult
  func send(_ method: String, _ path: String) async throws -> WebValue {
    try await send(method, path, [:])
  }
}

/// A session with a browser's driver.
struct WebSession: DriverSession {
  /// The driver's address, including the path of the session once it exists.
  let address: String
  /// The sandbox in which curl runs.
  let home: Sandbox

  /// An error response of the driver.
  struct Failure: Error, CustomStringConvertible {
    /// The error code of the protocol, such as `no such element`.
    let kind: String
    let message: String

    var description: String { "\(kind): \(message)" }
  }

  /// Starts a session with a browser of these capabilities.
  static func start(at driver: String, _ home: Sandbox, _ capabilities: WebValue) async throws
    -> WebSession
  {
    let answer = try await WebSession(address: driver, home: home).send(
      "POST", "/session", ["capabilities": ["alwaysMatch": capabilities]])
    guard let id = answer["sessionId"].text else {
      throw Failure(kind: "session not created", message: "\(answer)")
    }
    return WebSession(address: "\(driver)/session/\(id)", home: home)
  }

  /// Sends a command with curl: Foundation rejects the responses of Chromium's driver, whose header
  /// fields have no space after the colon.
  @discardableResult
  func send(_ method: String, _ path: String, _ body: WebValue) async throws -> WebValue {
    var arguments = ["-sS", "--max-time", "120", "-X", method, address + path]
    if method == "POST" {
      arguments += ["-H", "Content-Type: application/json; charset=utf-8", "--data-binary", "@-"]
    }
    let text = String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
    let answer = try await home.run("curl", arguments, input: text)
    guard answer.status == 0 else { throw ProgramFailed(message: answer.errors) }
    let value = try JSONDecoder().decode(WebValue.self, from: Data(answer.output.utf8))["value"]
    if let kind = value["error"].text {
      throw Failure(kind: kind, message: value["message"].text ?? "")
    }
    return value
  }
}
