import Foundation
import Glibc

/// The time zone of this machine, as its other programs see it (tzset(3)).
///
/// Foundation knows zones by their names alone: it ignores a `TZ` with a rule (`KST-9`), a colon or a
/// path, reads `UTC+3` with the opposite sign, and takes UTC where `/etc/localtime` is a copy. So a
/// name is only taken if libc has the same times in these years, or lacks the zone's file.
package struct MachineZone: Sendable {
  /// The zone.
  package let zone: TimeZone
  /// The name in the time zone database (`Asia/Seoul`); `nil` if the machine gives none.
  package let name: String?

  /// The zone of this process.
  package static let current = MachineZone(
    names: names(variable: getenv("TZ").map { String(cString: $0) }))

  /// The first of `names` whose times libc has, else the zone whose times are most like libc's.
  private init(names: [String]) {
    let now = Int(time(nil))
    // Each day of two years before and after now.
    let expected = ([0] + (-730...730)).map { day in
      let instant = now + day * 86_400
      return (date: Date(timeIntervalSince1970: Double(instant)), offset: Self.offset(at: instant))
    }
    func isSame(_ zone: TimeZone) -> Bool {
      expected.allSatisfy { zone.secondsFromGMT(for: $0.date) == $0.offset }
    }
    let named = names.lazy.compactMap { name in TimeZone(identifier: name).map { ($0, name) } }
    let found = named.first { zone, name in
      Self.hasFile(name) ? isSame(zone) : TimeZone.knownTimeZoneIdentifiers.contains(name)
    }
    if let (zone, name) = found {
      (self.zone, self.name) = (zone, name)
      return
    }
    let zones = (["GMT"] + TimeZone.knownTimeZoneIdentifiers).compactMap {
      TimeZone(identifier: $0)
    }
    let candidates = zones.filter { $0.secondsFromGMT(for: expected[0].date) == expected[0].offset }
    func likeness(_ zone: TimeZone) -> Int {
      expected.count { zone.secondsFromGMT(for: $0.date) == $0.offset }
    }
    let best =
      candidates.first(where: isSame) ?? candidates.max { likeness($0) < likeness($1) }
    zone = best ?? TimeZone(secondsFromGMT: expected[0].offset) ?? .gmt
    name = nil
  }

  /// The names that the machine gives its zone: that of `TZ` (`variable`), else those of the files.
  package static func names(
    variable: String?, localTime: String = "/etc/localtime", timeZone: String = "/etc/timezone"
  ) -> [String] {
    guard let variable else {
      let lines = (try? String(contentsOfFile: timeZone, encoding: .utf8))?.split(separator: "\n")
      let line = lines?.first { !$0.hasPrefix("#") }
      return [localTime, line.map { String($0) } ?? ""].map(nameInDatabase)
    }
    let text = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
    return [text.isEmpty ? "UTC" : nameInDatabase(text)]
  }

  /// The name without the folder of the database. A link leads to a file with the name.
  private static func nameInDatabase(_ path: String) -> String {
    let path =
      path.hasPrefix("/") ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
    var name = path[...]
    if let folder = path.range(of: "/zoneinfo/") { name = path[folder.upperBound...] }
    if name.hasPrefix("posix/") { name = name.dropFirst(6) }
    return String(name)
  }

  /// True if libc has the zone's file.
  private static func hasFile(_ name: String) -> Bool {
    let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
    return access(folder + "/" + name, R_OK) == 0
  }

  /// libc's offset from UTC in seconds.
  private static func offset(at instant: Int) -> Int {
    var instant = time_t(instant)
    var parts = tm()
    localtime_r(&instant, &parts)
    return parts.tm_gmtoff
  }
}
