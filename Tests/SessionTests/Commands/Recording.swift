import Foundation
import TestSupport

/// A recording of terminals, one above the other, as an SVG that moves once and then stays.
struct Recording {
  /// What is seen for some milliseconds.
  private struct Frame {
    var screens: [Terminal.Shot]
    var active: Int
    var milliseconds: Int
  }

  /// The title of each terminal.
  let titles: [String]
  let columns: Int
  let lines: Int
  var terminals: [Terminal] = []
  private var frames: [Frame] = []
  private var screens: [Terminal.Shot] = []

  init(titles: [String], columns: Int, lines: Int) {
    (self.titles, self.columns, self.lines) = (titles, columns, lines)
  }

  /// The time of the whole picture, in seconds.
  var seconds: Double { Double(frames.reduce(0) { $0 + $1.milliseconds }) / 1_000 }

  /// The text of each frame that differs from the one before.
  var texts: String {
    frames.map { $0.screens.map { $0.rows.joined(separator: "\n") }.joined(separator: "\n--\n") }
      .joined(separator: "\n====\n")
  }

  /// Shows the terminals as they are.
  mutating func pause(_ milliseconds: Int, in active: Int = 0) async throws {
    var shots: [Terminal.Shot] = []
    for terminal in terminals { shots.append(try await terminal.shot()) }
    add(shots, active, milliseconds)
  }

  private mutating func add(_ shots: [Terminal.Shot], _ active: Int, _ milliseconds: Int) {
    screens = shots
    if let last = frames.last, last.screens == shots, last.active == active {
      frames[frames.count - 1].milliseconds += milliseconds
    } else {
      frames.append(Frame(screens: shots, active: active, milliseconds: milliseconds))
    }
  }

  /// Types a text at a person's speed: a frame for each key.
  mutating func type(_ text: String, in terminal: Int) async throws {
    for character in text {
      let before = try await terminals[terminal].shot()
      try await terminals[terminal].type(String(character))
      try await capture(terminal, 50) { $0.column != before.column || $0.row != before.row }
    }
  }

  /// Presses a key and waits until the screen's text is the one that is expected.
  mutating func press(
    _ key: String, in terminal: Int, pause: Int = 1_000,
    until isDone: (String) -> Bool = { _ in true }
  ) async throws {
    let before = try await terminals[terminal].shot()
    try await terminals[terminal].press(key)
    try await capture(terminal, pause) { $0 != before && isDone(Self.text(of: $0)) }
  }

  /// Types a command, runs it and waits for the next prompt.
  mutating func run(_ command: String, in terminal: Int) async throws {
    try await type(command, in: terminal)
    let before = try await terminals[terminal].shot()
    try await terminals[terminal].press("Enter")
    let prompt = titles[terminal] + "$"
    try await capture(terminal, 1_200) { shot in
      shot != before && shot.column == prompt.count + 1 && Self.text(of: shot).hasSuffix(prompt)
    }
  }

  private mutating func capture(
    _ terminal: Int, _ milliseconds: Int, until isDone: (Terminal.Shot) -> Bool
  ) async throws {
    let end = ContinuousClock.now + .seconds(60)
    var last: Terminal.Shot?
    while true {
      let shot = try await terminals[terminal].shot()
      // Twice the same: a program may still be drawing.
      if shot == last, isDone(shot) { break }
      guard ContinuousClock.now < end else {
        throw ProgramFailed(message: "the terminal shows:\n" + Self.text(of: shot))
      }
      last = shot
    }
    var shots = screens
    if let last { shots[terminal] = last }
    add(shots, terminal, milliseconds)
  }

  /// The text without colour codes and without blank ends.
  private static func text(of shot: Terminal.Shot) -> String {
    shot.rows.map { row in
      spans(of: row).map(\.text).joined().replacing(#/ +$/#, with: "")
    }.joined(separator: "\n").replacing(#/\n+$/#, with: "")
  }

  // MARK: - Drawing

  /// A part of a row in one style.
  private struct Span: Hashable {
    var text: String
    var isBold = false
    var isDim = false
    var isReversed = false
    var colour: Int?

    var style: String {
      let names = [isBold ? "b" : "", isDim ? "d" : "", isReversed ? "r" : ""]
      return (names + [colour.map { "c\($0)" } ?? ""]).filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  /// The parts of a row of `capture-pane -e`, which begins each row in the plain style.
  private static func spans(of row: Substring) -> [Span] {
    var spans: [Span] = []
    var style = Span(text: "")
    var rest = row
    while !rest.isEmpty {
      if let code = rest.prefixMatch(of: /\u{1B}\[([0-9;]*)m/) {
        for number in code.1.split(separator: ";", omittingEmptySubsequences: false) {
          switch Int(number) ?? 0 {
          case 1: style.isBold = true
          case 2: style.isDim = true
          case 7: style.isReversed = true
          case 22: (style.isBold, style.isDim) = (false, false)
          case 27: style.isReversed = false
          case let colour where 30...37 ~= colour: style.colour = colour - 30
          case 39: style.colour = nil
          case let colour where 90...97 ~= colour: style.colour = colour - 90
          default: style = Span(text: "")
          }
        }
        rest = rest[code.range.upperBound...]
      } else {
        style.text = String(rest.prefix { $0 != "\u{1B}" })
        rest = rest.dropFirst(style.text.count)
        spans.append(style)
      }
    }
    return spans
  }

  private static let cell = (width: 8.0, height: 18.0)
  private static let bar = 26.0
  private static let edge = 12.0
  private var height: Double { Self.bar + Double(lines) * Self.cell.height + 8 }

  private func x(_ column: Int) -> Double { Self.edge + Double(column) * Self.cell.width }
  private func y(_ terminal: Int, _ row: Int) -> Double {
    Double(terminal) * height + Self.bar + Double(row) * Self.cell.height
  }

  /// The drawing of a row, `nil` if it is empty.
  private func drawing(of spans: [Span], _ terminal: Int, _ row: Int) -> String? {
    guard spans.contains(where: { $0.isReversed || $0.text.contains { $0 != " " } }) else {
      return nil
    }
    var (boxes, words, column) = ("", "", 0)
    for span in spans {
      let count = span.text.count
      if span.isReversed {
        boxes += """
          <rect x="\(number(x(column)))" y="\(number(y(terminal, row)))" \
          width="\(number(Double(count) * Self.cell.width))" height="18"/>
          """
      }
      let text = span.text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      words +=
        span.style.isEmpty ? text : "<tspan class=\"\(span.style)\">\(text)</tspan>"
      column += count
    }
    return boxes + """
      <text x="\(number(Self.edge))" y="\(number(y(terminal, row) + 13))" \
      textLength="\(number(Double(column) * Self.cell.width))">\(words)</text>
      """
  }

  private func number(_ value: Double) -> String {
    value == value.rounded() ? "\(Int(value))" : "\(value)"
  }

  /// The moment at which a frame begins, in percent of the whole time.
  private func percent(_ frame: Int) -> String {
    let before = frames[..<frame].reduce(0) { $0 + $1.milliseconds }
    let share = Double(before) / Double(frames.reduce(0) { $0 + $1.milliseconds })
    return number((share * 100_000).rounded() / 1_000) + "%"
  }

  /// The picture. Each row that is seen for a while is one element with the times of its own.
  var svg: String {
    var times: [Range<Int>: Int] = [:]
    var (rules, elements) = ("", "")
    for terminal in titles.indices {
      for row in 0..<lines {
        var start = 0
        let rows = frames.map { Self.spans(of: $0.screens[terminal].rows[row]) }
        for frame in 1...rows.count where frame == rows.count || rows[frame] != rows[start] {
          defer { start = frame }
          guard let drawing = drawing(of: rows[start], terminal, row) else { continue }
          let time = start..<frame
          if time == 0..<rows.count {
            elements += drawing + "\n"
            continue
          }
          let isLast = frame == rows.count
          let name = times[time] ?? times.count
          if times.updateValue(name, forKey: time) == nil {
            let shown = start == 0 ? "" : "\(percent(start)){visibility:visible}"
            rules +=
              "@keyframes k\(name){0%{visibility:\(start == 0 ? "visible" : "hidden")}\(shown)"
            rules +=
              (isLast ? "to{visibility:visible}" : "\(percent(frame)){visibility:hidden}") + "}\n"
            rules += ".k\(name){animation-name:k\(name)}\n"
          }
          elements += "<g class=\"k k\(name)\(isLast ? " e" : "")\">\(drawing)</g>\n"
        }
      }
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(number(2 * Self.edge + Double(columns) * 8)) \
      \(number(height * Double(titles.count)))" role="img">
      <title>Two devices change one entry without a network; after a sync it has both changes.</title>
      <style>
      svg{--paper:#fcfaf6;--bar:#f1ebe1;--ink:#2b2926;--soft:#6b665e;--accent:#35618e;
      font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink)}
      @media(prefers-color-scheme:dark){svg{--paper:#1b1a18;--bar:#2a2825;--ink:#dedad2;--soft:#a39d92;\
      --accent:#8fb8de}}
      text{white-space:pre}
      .paper{fill:var(--paper)}.bar{fill:var(--bar)}.title{fill:var(--soft)}.cursor{fill:var(--accent);opacity:.6}
      .b{font-weight:bold}.d{fill:var(--soft)}.r{fill:var(--paper)}.c2,.c4,.c6{fill:var(--accent)}
      .k,.cursor{animation:\(number(seconds))s step-end forwards;visibility:hidden}
      .cursor{visibility:visible;animation-name:cursor}
      @media(prefers-reduced-motion:reduce){.k,.cursor{animation:none}.e{visibility:visible}.cursor{visibility:hidden}}
      \(rules)\(cursorRule)</style>
      \(background)\(elements)<rect class="cursor" width="8" height="18"/>
      </svg>

      """
  }

  private var background: String {
    titles.indices.map { terminal in
      let top = Double(terminal) * height
      return """
        <rect class="paper" y="\(number(top))" width="100%" height="\(number(height))"/>
        <rect class="bar" y="\(number(top))" width="100%" height="22"/>
        <text class="title" x="12" y="\(number(top + 16))">\(titles[terminal])</text>

        """
    }.joined()
  }

  private var cursorRule: String {
    let places = frames.indices.map { frame in
      let active = frames[frame].active
      let shot = frames[frame].screens[active]
      return
        "\(percent(frame)){transform:translate(\(number(x(shot.column)))px,\(number(y(active, shot.row)))px)}"
    }
    let last = places.last.map { "to" + $0.drop { $0 != "{" } } ?? ""
    return "@keyframes cursor{" + places.joined() + last + "}\n"
  }
}
