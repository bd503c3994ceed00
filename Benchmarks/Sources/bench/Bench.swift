import Foundation
import Glibc

/// Compares Diary's commands with well-known tools: whole processes, in turn, with warm caches.
@main
struct Bench {
  static func main() {
    let options = Options(CommandLine.arguments.dropFirst())
    let world = BenchEnvironment(cache: options.cache, bin: options.bin)
    var report = Report()
    printResult(report.machine.line)
    for size in options.sizes {
      let pair = JournalPair(size, world)
      printResult("\n\(size) entries\n\n" + ReportRow.tableHead)
      run(Operations(pair: pair).all, pair, options, &report)
      if !options.isCheck, options.isWanted("beside jrnl"),
        let jrnl = JrnlOperations(pair: pair)
      {
        run(jrnl.all, pair, options, &report)
        jrnl.removeCopy()
      }
      if options.isWanted("watched") { watch(pair, options, &report) }
    }
    if let path = options.json { report.write(to: path) }
    let failures = report.rows.filter { $0.holds == false }
    if options.isCheck, !failures.isEmpty {
      fail("too slow: " + failures.map(\.operation).joined(separator: ", "))
    }
  }

  private static func run(
    _ comparisons: [Comparison], _ pair: JournalPair, _ options: Options, _ report: inout Report
  ) {
    for comparison in comparisons where options.isWanted(comparison.name) {
      let outcome = comparison.measure(rounds: options.rounds)
      let row = ReportRow(comparison, outcome, entries: pair.entries, slack: options.slack)
      printResult(row.line)
      report.rows.append(row)
    }
  }

  private static func watch(_ pair: JournalPair, _ options: Options, _ report: inout Report) {
    let watched = WatchedOperations(pair: pair)
    let watcher = BackgroundProcess(watched.watcher)
    run(watched.all, pair, options, &report)
    watcher.stop()
    guard !options.isCheck else { return }
    // The idle watcher is measured in a new process with the default settings.
    let idleWatcher = BackgroundProcess(pair.diaryCommand("watch", "--quiet"))
    let other = BackgroundProcess(
      pair.journalCommand("inotifywait", "-m", "-r", "-q", "-e", "close_write,move", pair.journal))
    let row = IdleRow(
      entries: pair.entries, ours: IdleUsage(idleWatcher, seconds: 30),
      theirs: IdleUsage(other, seconds: 10))
    idleWatcher.stop()
    other.stop()
    printResult("\n" + row.line)
    report.idle.append(row)
  }
}

/// `bench --bin DIR [--cache DIR] [--json FILE] [--rounds N] [--only WORD]… [--check] SIZE…`
struct Options {
  var bin = ""
  var cache = NSTemporaryDirectory() + "diary-bench"
  var json: String?
  var rounds = 9
  var only: [String] = []
  /// Whether the benchmark fails if a ratio exceeds a generous limit, for a shared machine.
  var isCheck = false
  var sizes: [Int] = []

  /// The factor by which limits are multiplied.
  var slack: Double { isCheck ? 2 : 1 }

  init(_ arguments: ArraySlice<String>) {
    var arguments = arguments
    while let word = arguments.popFirst() {
      func value() -> String {
        guard let value = arguments.popFirst() else { fail("\(word) needs a value") }
        return value
      }
      switch word {
      case "--bin": bin = value()
      case "--cache": cache = value()
      case "--json": json = value()
      case "--rounds": rounds = Int(value()) ?? rounds
      case "--only": only.append(value())
      case "--check": isCheck = true
      default:
        guard let size = Int(word), size >= 100 else { fail("cannot read \(word)") }
        sizes.append(size)
      }
    }
    guard bin.hasPrefix("/"), cache.hasPrefix("/") else {
      fail("--bin and --cache take absolute folders")
    }
  }

  /// Whether an operation is timed: its name contains a word of `--only`, or the reverse.
  func isWanted(_ name: String) -> Bool {
    only.isEmpty || only.contains { name.contains($0) || $0.contains(name) }
  }
}
