import Foundation

// Functions that only Chromium supports, by its own protocol through its driver.
extension Browser {
  /// Sends a command of Chromium's own protocol
  /// (https://chromedevtools.github.io/devtools-protocol/).
  @discardableResult
  public func command(_ name: String, _ parameters: WebValue = [:]) async throws -> WebValue {
    try await session.send(
      "POST", "/goog/cdp/execute", ["cmd": .text(name), "params": parameters])
  }

  /// Sets the screen size: exactly in Chromium, as closely as the window allows in WebKit.
  public func setScreen(_ screen: Screen) async throws {
    guard engine == .chromium else {
      try await session.send(
        "POST", "/window/rect",
        ["width": .number(Double(screen.width)), "height": .number(Double(screen.height))])
      return
    }
    try await command(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": .number(Double(screen.width)), "height": .number(Double(screen.height)),
        "deviceScaleFactor": .number(Double(screen.scale)), "mobile": .bool(screen.isTouched),
      ])
    try await command(
      "Emulation.setTouchEmulationEnabled", ["enabled": .bool(screen.isTouched)])
  }

  /// Sets media features, such as `prefers-color-scheme: dark`. The default medium is the screen.
  public func setMedia(_ features: [String: String], medium: String = "") async throws {
    try await command(
      "Emulation.setEmulatedMedia",
      [
        "media": .text(medium),
        "features": .list(
          features.map { ["name": .text($0.key), "value": .text($0.value)] }),
      ])
  }

  /// Disconnects the network, or reconnects it.
  public func setOffline(_ isOffline: Bool) async throws {
    try await command("Network.enable")
    try await command(
      "Network.emulateNetworkConditions",
      [
        "offline": .bool(isOffline), "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1,
      ])
  }

  /// Freezes the tab, as a phone does in the background, or unfreezes it.
  public func setFrozen(_ isFrozen: Bool) async throws {
    try await command(
      "Page.setWebLifecycleState", ["state": isFrozen ? "frozen" : "active"])
  }

  /// Types with an input method: each stage replaces the one before, and the last is committed.
  public func compose(_ stages: String..., commits: Bool = true) async throws {
    for stage in stages {
      try await command(
        "Input.imeSetComposition",
        [
          "text": .text(stage), "selectionStart": .number(Double(stage.utf16.count)),
          "selectionEnd": .number(Double(stage.utf16.count)),
        ])
    }
    if commits, let last = stages.last {
      try await command("Input.insertText", ["text": .text(last)])
    }
  }

  /// The console's warnings and errors since the last call.
  public func consoleProblems() async throws -> [String] {
    try await session.send("POST", "/se/log", ["type": "browser"]).list
      .filter { ["WARNING", "SEVERE"].contains($0["level"].text) }
      .compactMap { $0["message"].text }
  }

  /// The addresses requested since the last call.
  public func requestedAddresses() async throws -> [String] {
    try await session.send("POST", "/se/log", ["type": "performance"]).list.compactMap { entry in
      guard let text = entry["message"].text,
        let message = try? JSONDecoder().decode(WebValue.self, from: Data(text.utf8))["message"],
        message["method"].text == "Network.requestWillBeSent"
      else { return nil }
      return message["params"]["request"]["url"].text
    }
  }
}
