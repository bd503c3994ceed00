import Foundation

/// One row of the result table.
struct ReportRow: Encodable {
  let entries: Int
  let operation: String
  let tool: String
  let ours: Timings
  let theirs: Timings
  let ratio: Double
  let limit: Double?
  /// Whether the ratio, or the difference, is within its limit; `nil` without one.
  let holds: Bool?

  init(_ comparison: Comparison, _ outcome: Outcome, entries: Int, slack: Double) {
    self.entries = entries
    operation = comparison.name
    tool = comparison.tool
    ours = outcome.ours
    theirs = outcome.theirs
    ratio = outcome.ratio
    limit = comparison.limits[entries].map { $0 * slack }
    if let most = comparison.most {
      holds = ours.median - theirs.median <= most * slack
    } else {
      holds = limit.map { outcome.ratio <= $0 }
    }
  }

  /// The row as a line of a Markdown table.
  var line: String {
    let verdict =
      switch holds {
      case .some(true): "yes"
      case .some(false): "**no**"
      case .none: "–"
      }
    return "| "
      + [
        operation, tool, ReportRow.text(ours), ReportRow.text(theirs),
        String(format: "%.2f", ratio),
        limit.map { String(format: "%g", $0) } ?? "–", verdict,
        String(format: "%.0f / %.0f", ours.processor, theirs.processor),
        "\(ReportRow.megabytes(ours)) / \(ReportRow.megabytes(theirs))",
      ].joined(separator: " | ") + " |"
  }

  /// The median with minimum and maximum.
  private static func text(_ times: Timings) -> String {
    String(format: "%.1f (%.1f–%.1f)", times.median, times.least, times.most)
  }

  private static func megabytes(_ times: Timings) -> String {
    times.peakKilobytes == 0 ? "–" : String(format: "%.0f", Double(times.peakKilobytes) / 1024)
  }

  static let tableHead = """
    | operation | beside | Diary, ms | tool, ms | ratio | limit | within | processor, ms | peak MB |
    |---|---|--:|--:|--:|--:|---|--:|--:|
    """
}

/// The idle watcher compared with inotifywait.
struct IdleRow: Encodable {
  let entries: Int
  let ours: IdleUsage
  let theirs: IdleUsage

  var line: String {
    func text(_ idle: IdleUsage) -> String {
      String(
        format: "%.1f MB, %.0f wake-ups a minute", Double(idle.residentKilobytes) / 1024,
        idle.wakeUpsPerMinute)
    }
    return "Watcher at rest: \(text(ours)); inotifywait: \(text(theirs))."
  }
}

/// The whole report, written to the JSON file.
struct Report: Encodable {
  var machine = Machine()
  var rows: [ReportRow] = []
  var idle: [IdleRow] = []

  func write(to path: String) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    guard let data = try? encoder.encode(self),
      FileManager.default.createFile(atPath: path, contents: data)
    else { fail("cannot write \(path)") }
  }
}

/// The machine that ran the benchmark.
struct Machine: Encodable {
  var processor = ""
  var cores = ProcessInfo.processInfo.activeProcessorCount
  var gigabytes = Int(ProcessInfo.processInfo.physicalMemory >> 30)
  var system = ""

  init() {
    let cpuInfo = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let model = cpuInfo.split(separator: "\n").first { $0.hasPrefix("model name") }
    processor = model.map { String($0.drop { $0 != ":" }.dropFirst(2)) } ?? "unknown"
    let kernel = (try? String(contentsOfFile: "/proc/sys/kernel/osrelease", encoding: .utf8)) ?? ""
    system = "Linux " + kernel.trimmingCharacters(in: .newlines)
  }

  var line: String { "\(processor), \(cores) cores, \(gigabytes) GB, \(system)" }
}
