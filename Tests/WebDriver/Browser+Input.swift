import Foundation
import TestSupport

extension Browser {
  /// Keys without a character (https://www.w3.org/TR/webdriver2/#keyboard-actions).
  public enum Key: String, Sendable {
    case enter = "\u{E007}"
    case escape = "\u{E00C}"
    case tab = "\u{E004}"
    case delete = "\u{E017}"
    case backspace = "\u{E003}"
    case control = "\u{E009}"
    case shift = "\u{E008}"
    case left = "\u{E012}"
    case up = "\u{E013}"
    case right = "\u{E014}"
    case down = "\u{E015}"
    case pageUp = "\u{E00E}"
    case end = "\u{E010}"
    case home = "\u{E011}"
    case menu = "\u{E05D}"
  }

  /// The first element that a selector names. Waits for it, as a person does: the script that makes
  /// it may be under way.
  private func element(_ selector: String) async throws -> String {
    var answer: Result<WebValue, any Error>?
    _ = await Sandbox.holds(within: 20) {
      do {
        answer = .success(
          try await session.send(
            "POST", "/element", ["using": "css selector", "value": .text(selector)]))
        return true
      } catch {
        answer = .failure(error)
        return false
      }
    }
    guard case .object(let reference)? = try answer?.get(), let id = reference.values.first?.text
    else { throw ProgramFailed(message: "no element \(selector)") }
    return id
  }

  /// Sends a command to an element. Waits until it can be reached: in a document that has just come,
  /// WebKit may know no place of it yet.
  private func send(_ command: String, to selector: String, _ body: WebValue) async throws {
    let isDone = try await Sandbox.holds(within: 20) {
      do {
        try await session.send("POST", "/element/\(element(selector))/" + command, body)
      } catch let failure as WebSession.Failure where failure.kind == "element not interactable" {
        return false
      }
      return true
    }
    guard isDone else { throw ProgramFailed(message: "\(selector) cannot be reached") }
  }

  /// Clicks on an element with the mouse. Fails if another element covers it.
  public func click(_ selector: String) async throws { try await send("click", to: selector, [:]) }

  /// Clicks on an element, and does something before the button of the mouse is released.
  public func click(_ selector: String, whileDown: () async throws -> Void) async throws {
    func act(_ actions: [WebValue]) async throws {
      try await session.send(
        "POST", "/actions",
        ["actions": [["type": "pointer", "id": "mouse", "actions": .list(actions)]]])
    }
    let middle = try await middle(of: selector)
    try await act([
      ["type": "pointerMove", "duration": 0, "x": .number(middle.x), "y": .number(middle.y)],
      ["type": "pointerDown", "button": 0],
    ])
    try await whileDown()
    try await act([["type": "pointerUp", "button": 0]])
  }

  /// The middle of an element.
  public func middle(of selector: String) async throws -> (x: Double, y: Double) {
    let middle = try await runScript(
      """
      const box = document.querySelector(arguments[0]).getBoundingClientRect();
      return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)];
      """, .text(selector))
    let points = middle.list.compactMap(\.number)
    guard points.count == 2 else { throw ProgramFailed(message: "no element \(selector)") }
    return (points[0], points[1])
  }

  /// Taps at a point of the window: with a finger in Chromium, with the mouse in the others, as
  /// WebKit's driver makes no click of a touch.
  public func tap(_ x: Double, _ y: Double, milliseconds: Double = 30) async throws {
    let kind = engine == .chromium ? "touch" : "mouse"
    try await session.send(
      "POST", "/actions",
      [
        "actions": [
          [
            "type": "pointer", "id": .text(kind), "parameters": ["pointerType": .text(kind)],
            "actions": [
              [
                "type": "pointerMove", "duration": 0, "x": .number(x.rounded()),
                "y": .number(y.rounded()),
              ],
              ["type": "pointerDown", "button": 0],
              ["type": "pause", "duration": .number(milliseconds)],
              ["type": "pointerUp", "button": 0],
            ],
          ]
        ]
      ])
  }

  /// Types into an element, after its present text.
  public func type(_ text: String, into selector: String) async throws {
    try await send("value", to: selector, ["text": .text(text)])
  }

  /// Presses keys one after the other in the focused element, with `holding` held down.
  public func press(_ keys: String..., holding: Key? = nil) async throws {
    var actions: [WebValue] = []
    func add(_ kind: String, _ key: String) {
      actions.append(["type": .text(kind), "value": .text(key)])
    }
    if let holding { add("keyDown", holding.rawValue) }
    for key in keys {
      add("keyDown", key)
      add("keyUp", key)
    }
    if let holding { add("keyUp", holding.rawValue) }
    try await session.send(
      "POST", "/actions", ["actions": [["type": "key", "id": "keys", "actions": .list(actions)]]])
  }

  /// Presses a key without a character.
  public func press(_ key: Key, holding: Key? = nil) async throws {
    try await press(key.rawValue, holding: holding)
  }

  /// Swipes from the middle of an element by a distance in CSS pixels. It moves in steps like a
  /// finger, because an engine extrapolates a faster movement.
  public func swipe(_ selector: String, by x: Int, _ y: Int = 0, from start: Int? = nil)
    async throws
  {
    let middle = try await middle(of: selector)
    let from = (x: start.map(Double.init) ?? middle.x, y: middle.y)
    var actions: [WebValue] = [
      ["type": "pointerMove", "duration": 0, "x": .number(from.x), "y": .number(from.y)],
      ["type": "pointerDown", "button": 0],
    ]
    for step in 1...10 {
      let part = Double(step) / 10
      actions.append([
        "type": "pointerMove", "duration": 30,
        "x": .number((from.x + Double(x) * part).rounded()),
        "y": .number((from.y + Double(y) * part).rounded()),
      ])
    }
    actions.append(["type": "pause", "duration": 100])
    actions.append(["type": "pointerUp", "button": 0])
    try await session.send(
      "POST", "/actions",
      [
        "actions": [
          [
            "type": "pointer", "id": "finger", "parameters": ["pointerType": "touch"],
            "actions": .list(actions),
          ]
        ]
      ])
    try await session.send("DELETE", "/actions")
  }
}
