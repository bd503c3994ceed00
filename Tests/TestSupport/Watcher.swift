import Foundation

extension Sandbox {
  /// Sets the times of autosave for the programs that are run from now on.
  public func setAutosave(settle: String, longest: String? = nil, sitting: String) {
    set("DIARY_AUTOSAVE__SETTLE", settle)
    if let longest { set("DIARY_AUTOSAVE__LONGEST", longest) }
    set("DIARY_AUTOSAVE__SITTING", sitting)
  }

  /// Runs `diary watch -v` while `body` runs, and returns the watcher's output.
  ///
  /// - Parameter mustEnd: true if the watcher then gets SIGINT and must report its end.
  @discardableResult
  public func withWatcher(
    in folder: String = "j", mustEnd: Bool = true,
    _ body: @Sendable (BackgroundProcess) async throws -> Void
  ) async throws -> String {
    try await BackgroundProcess.run(
      self, Self.programs + "/diary", ["watch", "-v"], in: folder
    ) { (watcher: BackgroundProcess) async throws -> String in
      guard await watcher.prints("watching") else {
        throw ProgramFailed(message: "the watcher does not start: \(watcher.output)")
      }
      try await body(watcher)
      if mustEnd {
        watcher.signal(SIGINT)
        guard await watcher.prints("ended") else {
          throw ProgramFailed(message: "the watcher does not end: \(watcher.output)")
        }
      }
      return watcher.output
    }
  }
}
