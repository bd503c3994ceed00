import Foundation
import HTTPTypes
import HummingbirdCore
import LoopbackServer
import Subprocess
import SystemPackage
import TestSupport

/// `git http-backend`, a CGI program, for the repositories below a home.
struct GitHTTPBackend: Sendable {
  struct Answer: Sendable {
    var status = 200
    var fields: HTTPFields = [:]
    var body = Data()
  }

  private let root: String
  private let path: String

  init(_ home: Sandbox) {
    root = home.homePath
    path = home.environment["PATH"] ?? ""
  }

  func answer(
    to request: Request, _ body: Data, from user: String?
  ) async throws -> Answer {
    // A file, not a pipe: the program may end without reading its input.
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try body.write(to: url)
    let file = try FileDescriptor.open(FilePath(url.path), .readOnly)
    try FileManager.default.removeItem(at: url)
    defer { try? file.close() }
    let variables = variables(request, body.count, user).map {
      (Environment.Key(stringLiteral: $0), $1)
    }
    let result = try await Subprocess.run(
      .name("git"), arguments: ["http-backend"],
      environment: .custom(Dictionary(uniqueKeysWithValues: variables)),
      input: .fileDescriptor(file, closeAfterSpawningProcess: false),
      output: .bytes(limit: 64 << 20), error: .discarded)
    return Self.answer(from: Data(result.standardOutput))
  }

  private func variables(
    _ request: Request, _ length: Int, _ user: String?
  ) -> [String: String] {
    var variables = [
      "PATH": path, "HOME": "/", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
      // Allow pushes of every client that was admitted, with or without a login.
      "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http.receivepack",
      "GIT_CONFIG_VALUE_0": "true",
      "GIT_PROJECT_ROOT": root, "GIT_HTTP_EXPORT_ALL": "1",
      "GATEWAY_INTERFACE": "CGI/1.1", "SERVER_PROTOCOL": "HTTP/1.1",
      "REQUEST_METHOD": request.method.rawValue, "PATH_INFO": request.uri.path,
      "QUERY_STRING": request.query, "CONTENT_LENGTH": String(length),
      "REMOTE_ADDR": "127.0.0.1",
    ]
    variables["CONTENT_TYPE"] = request.headers[.contentType]
    variables["HTTP_CONTENT_ENCODING"] = request.headers[.contentEncoding]
    variables["GIT_PROTOCOL"] = HTTPField.Name("Git-Protocol").flatMap { request.headers[$0] }
    variables["REMOTE_USER"] = user
    return variables
  }

  /// Parses the program's output: headers, an empty line, the body.
  private static func answer(from output: Data) -> Answer {
    guard let end = output.firstRange(of: Data("\r\n\r\n".utf8)) else {
      return Answer(status: 500)
    }
    var answer = Answer(body: Data(output[end.upperBound...]))
    let lines = String(decoding: output[..<end.lowerBound], as: UTF8.self)
    for line in lines.components(separatedBy: "\r\n") {
      let parts = line.split(separator: ":", maxSplits: 1).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard parts.count == 2 else { continue }
      if parts[0] == "Status" {
        answer.status = Int(parts[1].prefix(3)) ?? 500
      } else if let name = HTTPField.Name(parts[0]) {
        answer.fields[name] = parts[1]
      }
    }
    return answer
  }
}
