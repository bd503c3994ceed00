import Foundation

/// A real terminal (tmux) that runs a shell, on its own tmux server.
public final class Terminal: Sendable {
  private let home: Sandbox
  private let socket: String

  /// Opens a terminal of `columns` by `lines` in `folder` below the home, with more variables. A second
  /// one needs a `name`.
  public init(
    _ home: Sandbox, in folder: String, columns: Int = 80, lines: Int = 24, name: String = "tmux",
    _ variables: [String: String] = ["PS1": "$ "]
  ) async throws {
    self.home = home
    socket = home.homePath + "/" + name
    try await tmux(
      [
        "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(lines)", "-c",
        home.homePath + "/" + folder, "env",
      ] + variables.map { "\($0)=\($1)" } + ["sh"])
    _ = try await Sandbox.holds { try await self.screen().contains("$") }
  }

  @discardableResult
  private func tmux(_ arguments: String...) async throws -> String { try await tmux(arguments) }

  @discardableResult
  private func tmux(_ arguments: [String]) async throws -> String {
    let result = try await home.run("tmux", ["-u", "-S", socket] + arguments)
    guard result.status == 0 else { throw ProgramFailed(message: "tmux: " + result.errors) }
    return result.output
  }

  /// Types text literally.
  public func type(_ text: String) async throws { try await tmux("send-keys", "-l", text) }

  /// Presses keys by their tmux names (`Enter`, `Escape`, `C-x`).
  public func press(_ keys: String...) async throws {
    for key in keys { try await tmux("send-keys", key) }
  }

  /// Types a command and presses Enter. After one that begins with `clear`, waits until the screen is
  /// cleared: what it showed before must not be taken for the command's output.
  public func enter(_ line: String) async throws {
    try await type(line)
    let clears = line.hasPrefix("clear")
    if clears { _ = try await shows("clear") }
    try await press("Enter")
    if clears { _ = try await Sandbox.holds { try await !self.screen().contains("clear") } }
  }

  /// The text on the screen, with colour codes if requested.
  public func screen(withColours: Bool = false) async throws -> String {
    withColours
      ? try await tmux("capture-pane", "-e", "-p") : try await tmux("capture-pane", "-p")
  }

  /// What is on the screen at one moment.
  public struct Shot: Equatable, Sendable {
    /// The rows, with colour codes.
    public var rows: [Substring]
    /// The cursor's place, from 0.
    public var column: Int, row: Int
  }

  /// Takes a picture of the screen.
  public func shot() async throws -> Shot {
    let text = try await tmux(
      "display-message", "-p", "#{cursor_x} #{cursor_y}", ";", "capture-pane", "-e", "-p")
    var rows = text.split(separator: "\n", omittingEmptySubsequences: false)
    let cursor = rows.removeFirst().split(separator: " ").compactMap { Int($0) }
    if rows.last == "" { rows.removeLast() }
    return Shot(rows: rows, column: cursor[0], row: cursor[1])
  }

  /// Waits until the screen shows `text`.
  public func shows(_ text: String, within seconds: Double = 60) async throws -> Bool {
    try await Sandbox.holds(within: seconds) { try await self.screen().contains(text) }
  }

  /// Ends the tmux server and its programs.
  public func close() async { _ = try? await tmux("kill-server") }
}
