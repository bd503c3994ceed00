/// The cookie that holds the secret of a session.
enum SessionCookie {
  /// Its name: browsers keep the cookies of all ports of a host together.
  static func name(port: Int) -> String { "diary-\(port)" }

  /// Its values in the `Cookie` fields of a request, eight at most: other ports of the host can set one of
  /// this name, too.
  static func values(in fields: [String], port: Int) -> [String] {
    let prefix = name(port: port) + "="
    let pairs = fields.flatMap { $0.split(separator: ";") }
    let own = pairs.map { $0.trimmingPrefix { $0 == " " } }.filter { $0.hasPrefix(prefix) }
    return own.prefix(8).map { String($0.dropFirst(prefix.count)) }
  }
}
