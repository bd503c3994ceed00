import Foundation
import Glibc
import TestSupport

/// A session with Firefox, for which Debian has no driver. Commands go over its own protocol,
/// Marionette (https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html). Scripts go
/// over WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/): Marionette's do not see what a script
/// of the page declares.
final class FirefoxSession: DriverSession {
  private let connection: FileHandle
  private let scripts: WebSocket
  /// The protocol is a sequence of requests and answers, read by calls that block.
  private let queue = DispatchQueue(label: "firefox")

  /// Connects with a Firefox that listens at a port, as soon as it does.
  init(port: Int) async throws {
    var found: FileHandle?
    _ = await Sandbox.holds(within: 60) {
      found = Self.connect(to: port)
      return found != nil
    }
    guard let found else { throw ProgramFailed(message: "Firefox does not answer") }
    _ = try Self.readMessage(found)
    let session = try Self.run("NewSession", ["webSocketUrl": true], found)
    let address = URL(string: session["capabilities"]["webSocketUrl"].text ?? "")
    guard let address, let port = address.port, let socket = Self.connect(to: port) else {
      throw ProgramFailed(message: "Firefox has no WebSocket: \(session)")
    }
    connection = found
    scripts = try WebSocket(socket, path: address.path, host: "127.0.0.1:\(port)")
  }

  /// The settings of a profile: the port, and nothing from the network.
  static func settings(port: Int, languages: [String]) -> String {
    let settings = [
      "marionette.port": "\(port)", "browser.startup.page": "0",
      "intl.accept_languages": "\"\(languages.joined(separator: ","))\"",
      "services.settings.server": "\"data:,\"", "app.normandy.enabled": "false",
      "network.captive-portal-service.enabled": "false",
      "network.connectivity-service.enabled": "false",
      "datareporting.policy.dataSubmissionEnabled": "false",
      "browser.safebrowsing.update.enabled": "false", "extensions.update.enabled": "false",
    ]
    return settings.map { "user_pref(\"\($0.key)\", \($0.value));\n" }.sorted().joined()
  }

  private static func connect(to port: Int) -> FileHandle? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isConnected = withUnsafeBytes(of: &address) { bytes in
      Glibc.connect(
        descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self),
        socklen_t(bytes.count)) == 0
    }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    return isConnected ? handle : nil
  }

  @discardableResult
  func send(_ method: String, _ path: String, _ body: WebValue) async throws -> WebValue {
    if path.hasPrefix("/execute/") {
      return try await runScript(body["script"].text ?? "", body["args"], path.hasSuffix("/async"))
    }
    let (name, parameters) = try Self.command(method, path, body)
    return try await onQueue { try Self.run(name, parameters, $0.connection) }
  }

  /// Runs the body of a function in the current tab; an asynchronous one calls its last argument with
  /// the result.
  private func runScript(
    _ body: String, _ arguments: WebValue, _ isAsynchronous: Bool
  ) async throws -> WebValue {
    let call =
      isAsynchronous
      ? "new Promise(done => run.apply(null, [...given, done]))" : "run.apply(null, given)"
    let function = """
      async text => {
        const given = JSON.parse(text);
        const run = function () {\(body)
        };
        return JSON.stringify({value: (await \(call)) ?? null});
      }
      """
    let given = String(decoding: try JSONEncoder().encode(arguments), as: UTF8.self)
    let answer = try await onQueue { session in
      let tab = try Self.run("GetWindowHandle", [:], session.connection)
      let request: WebValue = [
        "id": 1, "method": "script.callFunction",
        "params": [
          "functionDeclaration": .text(function), "awaitPromise": true,
          "target": ["context": tab],
          "arguments": [["type": "string", "value": .text(given)]],
        ],
      ]
      try session.scripts.send(JSONEncoder().encode(request))
      var answer: WebValue
      // Events have no number.
      repeat {
        answer = try JSONDecoder().decode(WebValue.self, from: session.scripts.receive())
      } while answer["id"] == .null
      return answer
    }
    let result = answer["result"]
    guard let text = result["result"]["value"].text else {
      let failure = result["exceptionDetails"]["text"].text ?? answer["message"].text
      throw WebSession.Failure(kind: "javascript error", message: failure ?? "\(answer)")
    }
    return try JSONDecoder().decode(WebValue.self, from: Data(text.utf8))["value"]
  }

  /// Runs a command of WebDriver.
  private static func run(
    _ name: String, _ parameters: WebValue, _ connection: FileHandle
  ) throws -> WebValue {
    let request: WebValue = [0, 1, .text("WebDriver:" + name), parameters]
    let message = try JSONEncoder().encode(request)
    try connection.write(contentsOf: Data("\(message.count):".utf8) + message)
    let answer = try JSONDecoder().decode(WebValue.self, from: readMessage(connection))
    let (failure, result) = (answer.list[2], answer.list[3])
    if let kind = failure["error"].text {
      throw WebSession.Failure(kind: kind, message: failure["message"].text ?? "")
    }
    if case .object(let fields) = result, fields.count == 1, let value = fields["value"] {
      return value
    }
    return result
  }

  /// The command of a request to a driver, with its parameters.
  private static func command(
    _ method: String, _ path: String, _ body: WebValue
  ) throws -> (String, WebValue) {
    let names = [
      "DELETE ": "DeleteSession", "POST /url": "Navigate",
      "GET /url": "GetCurrentURL", "POST /back": "Back", "POST /forward": "Forward",
      "POST /refresh": "Refresh", "GET /window/handles": "GetWindowHandles",
      "GET /window": "GetWindowHandle", "POST /window/new": "NewWindow",
      "POST /window": "SwitchToWindow", "DELETE /window": "CloseWindow",
      "POST /frame": "SwitchToFrame", "GET /screenshot": "TakeScreenshot",
      "POST /window/rect": "SetWindowRect", "POST /element": "FindElement",
      "POST /actions": "PerformActions", "DELETE /actions": "ReleaseActions",
      "click": "ElementClick", "value": "ElementSendKeys",
    ]
    let parts = path.split(separator: "/").map(String.init)
    var (key, parameters) = (method + " " + path, body)
    if parts.count == 3, parts[0] == "element", case .object(var fields) = body {
      fields["id"] = .text(parts[1])
      (key, parameters) = (parts[2], .object(fields))
    }
    guard let name = names[key] else {
      throw WebSession.Failure(kind: "unknown command", message: key)
    }
    return (name, parameters)
  }

  private func onQueue<Value: Sendable>(
    _ body: @escaping @Sendable (FirefoxSession) throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body(self) }) }
    }
  }

  /// A message is its length in bytes, a colon, and JSON.
  private static func readMessage(_ connection: FileHandle) throws -> Data {
    var count = 0
    while true {
      let byte = try connection.readExactly(1)[0]
      if byte == UInt8(ascii: ":") { break }
      count = count * 10 + Int(byte) - 48
    }
    return try connection.readExactly(count)
  }
}

/// A connection that sends and receives messages (https://www.rfc-editor.org/rfc/rfc6455).
private final class WebSocket: Sendable {
  private let connection: FileHandle

  init(_ connection: FileHandle, path: String, host: String) throws {
    self.connection = connection
    let request = """
      GET \(path) HTTP/1.1\r
      Host: \(host)\r
      Connection: Upgrade\r
      Upgrade: websocket\r
      Sec-WebSocket-Version: 13\r
      Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r
      \r

      """
    try connection.write(contentsOf: Data(request.utf8))
    var head = Data()
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) { head += try connection.readExactly(1) }
    guard head.starts(with: "HTTP/1.1 101".utf8) else {
      throw ProgramFailed(message: String(decoding: head, as: UTF8.self))
    }
  }

  /// Sends a text in one frame. Firefox accepts only the shortest form of a length, and a mask that is
  /// not zero.
  func send(_ message: Data) throws {
    let count = withUnsafeBytes(of: UInt64(message.count).bigEndian) { Data($0) }
    var frame = Data([0x81])
    switch message.count {
    case ...125: frame += [0x80 | count[7]]
    case ...0xFFFF: frame += [0x80 | 126] + count.suffix(2)
    default: frame += [0x80 | 127] + count
    }
    let mask = Data("mask".utf8)
    frame += mask
    for (index, byte) in message.enumerated() { frame.append(byte ^ mask[index % 4]) }
    try connection.write(contentsOf: frame)
  }

  /// Receives a text, which may come in several frames.
  func receive() throws -> Data {
    var message = Data()
    while true {
      let head = try connection.readExactly(2)
      var count = Int(head[1] & 0x7F)
      if count > 125 {
        count = try connection.readExactly(count == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
      }
      let part = try connection.readExactly(count)
      // Continuations and texts; others are about the connection.
      if head[0] & 0x0F <= 1 { message += part }
      if head[0] & 0x80 != 0, !message.isEmpty { return message }
    }
  }
}

extension FileHandle {
  fileprivate func readExactly(_ count: Int) throws -> Data {
    var bytes = Data()
    while bytes.count < count {
      guard let part = try read(upToCount: count - bytes.count), !part.isEmpty else {
        throw ProgramFailed(message: "the browser has ended")
      }
      bytes += part
    }
    return bytes
  }
}
