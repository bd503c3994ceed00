import Foundation

/// A real terminal (tmux) that runs a shell, on its own tmux server.
public final class Terminal: Sendable {
  private let home: Sandbox
  private let socket: String

  /// Opens a terminal of `columns` by `lines` in `folder` below the home.
  public init(_ home: Sandbox, in folder: String, columns: Int = 80, lines: Int = 24) async throws {
    self.home = home
    socket = home.homePath + "/tmux"
    try await tmux(
      "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(lines)", "-c",
      home.homePath + "/" + folder, "env", "PS1=$ ", "sh")
    _ = try await Sandbox.holds { try await self.screen().contains("$") }
  }

  @discardableResult
  private func tmux(_ arguments: String...) async throws -> String {
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

  /// Types a command and presses Enter.
  public func enter(_ line: String) async throws {
    try await type(line)
    try await press("Enter")
  }

  /// The text on the screen, with colour codes if requested.
  public func screen(withColours: Bool = false) async throws -> String {
    withColours
      ? try await tmux("capture-pane", "-e", "-p") : try await tmux("capture-pane", "-p")
  }

  /// Waits until the screen shows `text`.
  public func shows(_ text: String, within seconds: Double = 60) async throws -> Bool {
    try await Sandbox.holds(within: seconds) { try await self.screen().contains(text) }
  }

  /// Ends the tmux server and its programs.
  public func close() async { _ = try? await tmux("kill-server") }
}
