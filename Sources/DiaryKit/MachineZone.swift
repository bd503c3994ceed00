import Foundation
import Glibc

/// The time zone of this machine, as its other programs see it (tzset(3)).
///
/// Foundation knows zones by their names alone: it ignores a `TZ` with a rule (`KST-9`), a colon or a
/// path, reads `UTC+3` with the opposite sign, and takes UTC where `/etc/localtime` is a copy. So a
/// name is only taken if libc has the same times.
package struct MachineZone: Sendable {
  /// The zone.
  package let zone: TimeZone
  /// The name in the time zone database (`Asia/Seoul`); `nil` if the machine gives none.
  package let name: String?

  /// The zone of this process.
  package static let current = MachineZone(
    names: names(variable: getenv("TZ").map { String(cString: $0) }))

  /// The first of `names` whose times libc has, else a zone with these times.
  private init(names: [String]) {
    let now = Int(time(nil))
    // Twice a year from 1970 to 2037.
    let expected = ([now] + stride(from: 0, to: Int(Int32.max), by: 365 * 43_200)).map {
      (date: Date(timeIntervalSince1970: Double($0)), offset: Self.offset(at: $0))
    }
    func zone(_ name: String) -> TimeZone? {
      guard let zone = TimeZone(identifier: name) else { return nil }
      let isSame = expected.allSatisfy { zone.secondsFromGMT(for: $0.date) == $0.offset }
      return isSame ? zone : nil
    }
    if let name = names.first(where: { Self.isZone($0) && zone($0) != nil }),
      let named = zone(name)
    {
      (self.zone, self.name) = (named, name)
    } else {
      let same = (["GMT"] + TimeZone.knownTimeZoneIdentifiers).lazy.compactMap(zone).first
      self.zone = same ?? TimeZone(secondsFromGMT: Self.offset(at: now)) ?? .gmt
      name = nil
    }
  }

  /// The names that the machine gives its zone: that of `TZ` (`variable`), else those of the files.
  package static func names(
    variable: String?, localTime: String = "/etc/localtime", timeZone: String = "/etc/timezone"
  ) -> [String] {
    guard let variable else {
      let target = URL(fileURLWithPath: localTime).resolvingSymlinksInPath().path
      let line = (try? String(contentsOfFile: timeZone, encoding: .utf8))?.split(separator: "\n")
      return [target, line?.first.map { String($0) } ?? ""].map(nameInDatabase)
    }
    let text = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
    return [text.isEmpty ? "UTC" : nameInDatabase(text)]
  }

  /// The name without the folder of the database.
  private static func nameInDatabase(_ path: String) -> String {
    var name = path[...]
    if let folder = path.range(of: "/zoneinfo/") { name = path[folder.upperBound...] }
    if name.hasPrefix("posix/") { name = name.dropFirst(6) }
    return String(name)
  }

  /// False for names that only Foundation knows, such as `UTC+3`.
  private static func isZone(_ name: String) -> Bool {
    name == "UTC" || TimeZone.knownTimeZoneIdentifiers.contains(name)
      || name.hasPrefix("Etc/") || access("/usr/share/zoneinfo/" + name, R_OK) == 0
  }

  /// libc's offset from UTC in seconds.
  private static func offset(at instant: Int) -> Int {
    var instant = time_t(instant)
    var parts = tm()
    localtime_r(&instant, &parts)
    return parts.tm_gmtoff
  }
}
