/// The cookie with the secret of a session.
enum SessionCookie {
  /// The name with the port, because browsers share cookies between all ports of a host.
  static func name(port: Int) -> String { "diary-\(port)" }

  /// The values in the `Cookie` fields of a request, at most eight: servers on other ports of the
  /// host can also set a cookie with this name.
  static func values(in fields: [String], port: Int) -> [String] {
    let prefix = name(port: port) + "="
    let pairs = fields.flatMap { $0.split(separator: ";") }
    let own = pairs.map { $0.trimmingPrefix { $0 == " " } }.filter { $0.hasPrefix(prefix) }
    return own.prefix(8).map { String($0.dropFirst(prefix.count)) }
  }
}
