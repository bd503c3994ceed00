import Foundation
import TestSupport

/// A real headless browser, controlled over WebDriver or, if it is Firefox, over its own protocol.
public final class Browser: Sendable {
  /// The browser engines.
  public enum Engine: String, Sendable, CaseIterable {
    case chromium, webkit, firefox

    /// Those that the environment variable `DIARY_BROWSERS` names, else the two with a driver in
    /// Debian.
    public static let allCases: [Engine] = {
      let names = ProcessInfo.processInfo.environment["DIARY_BROWSERS"] ?? "chromium,webkit"
      return names.split(separator: ",").compactMap { Engine(rawValue: String($0)) }
    }()
  }

  /// The screen of a simulated device.
  public struct Screen: Sendable {
    /// The width in CSS pixels.
    public var width: Int
    /// The height in CSS pixels.
    public var height: Int
    /// The number of device pixels per CSS pixel.
    public var scale: Int
    /// Whether it is a touch screen with a phone layout.
    public var isTouched: Bool

    /// A screen of a size in CSS pixels.
    public init(width: Int, height: Int, scale: Int = 1, isTouched: Bool = false) {
      (self.width, self.height, self.scale) = (width, height, scale)
      self.isTouched = isTouched
    }

    /// A phone in portrait orientation.
    public static let phone = Screen(width: 390, height: 844, scale: 2, isTouched: true)
    /// A phone in landscape orientation.
    public static let landscape = Screen(width: 844, height: 390, scale: 2, isTouched: true)
    /// A desktop window.
    public static let desktop = Screen(width: 1280, height: 800)
  }

  /// The browser engine.
  public let engine: Engine
  let session: any DriverSession

  private init(engine: Engine, session: any DriverSession) {
    (self.engine, self.session) = (engine, session)
  }

  /// Runs `body` with a new browser whose profile is below the home directory, then quits it.
  ///
  /// - Parameter languages: Chromium's `Accept-Language`, most preferred first. WebKit
  ///   supports only the languages of the system.
  public static func run<Value: Sendable>(
    _ home: Sandbox, _ engine: Engine = .chromium, languages: [String] = ["en-US"],
    _ body: @Sendable (Browser) async throws -> Value
  ) async throws -> Value {
    let port = try freePort()
    let (program, arguments) =
      switch engine {
      case .chromium: ("chromedriver", ["--port=\(port)"])
      case .webkit: ("xvfb-run", ["-a", "WebKitWebDriver", "--port=\(port)"])
      case .firefox:
        (
          "firefox-esr",
          [
            "--headless", "--marionette", "--remote-debugging-port=\(try freePort())",
            "--no-remote",
            "--profile", home.homePath + "/firefox",
          ]
        )
      }
    if engine == .firefox {
      try home.write(
        FirefoxSession.settings(port: port, languages: languages), to: "firefox/user.js")
    }
    return try await BackgroundProcess.run(home, program, arguments) { driver in
      let session: any DriverSession
      if engine == .firefox {
        session = try await FirefoxSession(port: port)
      } else {
        let address = "http://127.0.0.1:\(port)"
        guard await isReady(address, home) else {
          throw ProgramFailed(message: "\(program) does not answer:\n\(driver.output)")
        }
        session = try await WebSession.start(
          at: address, home, capabilities(engine, home, languages))
      }
      let browser = Browser(engine: engine, session: session)
      let value: Result<Value, any Error>
      do { value = .success(try await body(browser)) } catch { value = .failure(error) }
      _ = try? await session.send("DELETE", "")
      if engine == .webkit {
        // When its program exits, xvfb-run ends the screen. A signal to xvfb-run leaves both.
        _ = try? await home.run("pkill", ["-xf", "WebKitWebDriver --port=\(port)"])
        _ = await Sandbox.holds(within: 10) { driver.hasExited }
      }
      return try value.get()
    }
  }

  private static func capabilities(
    _ engine: Engine, _ home: Sandbox, _ languages: [String]
  ) -> WebValue {
    switch engine {
    case .firefox: return [:]
    case .chromium:
      var arguments: [WebValue] = [
        "--headless=new", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--hide-scrollbars",
        "--disable-dev-shm-usage",
        .text("--user-data-dir=\(home.homePath)/chromium"),
        .text("--lang=\(languages[0])"), .text("--accept-lang=\(languages.joined(separator: ","))"),
      ]
      // Its sandbox refuses to run as root.
      if getuid() == 0 { arguments.append("--no-sandbox") }
      return [
        "browserName": "chrome",
        "goog:chromeOptions": [
          "args": .list(arguments),
          "prefs": ["intl.accept_languages": .text(languages.joined(separator: ","))],
        ],
        "goog:loggingPrefs": ["browser": "ALL", "performance": "ALL"],
      ]
    case .webkit:
      return [
        "webkitgtk:browserOptions": [
          "binary": "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser",
          "args": ["--automation"],
        ]
      ]
    }
  }

  private static func isReady(_ address: String, _ home: Sandbox) async -> Bool {
    await Sandbox.holds(within: 30) {
      (try? await WebSession(address: address, home: home).send("GET", "/status")) != nil
    }
  }

  // MARK: Pages

  /// Opens an address and waits until it is loaded.
  public func open(_ address: String) async throws {
    try await session.send("POST", "/url", ["url": .text(address)])
  }

  /// The current address.
  public var address: String {
    get async throws { try await session.send("GET", "/url").text ?? "" }
  }

  /// Navigates back.
  public func back() async throws { try await session.send("POST", "/back") }

  /// Navigates forward.
  public func forward() async throws { try await session.send("POST", "/forward") }

  /// Reloads the page.
  public func reload() async throws { try await session.send("POST", "/refresh") }

  /// The handles of all tabs.
  public var tabs: [String] {
    get async throws { try await session.send("GET", "/window/handles").list.compactMap(\.text) }
  }

  /// The handle of the current tab.
  public var currentTab: String {
    get async throws { try await session.send("GET", "/window").text ?? "" }
  }

  /// Opens a tab, or a window beside the other one, and switches to it. Returns its handle.
  @discardableResult
  public func openTab(inWindow: Bool = false) async throws -> String {
    let type: WebValue = inWindow ? "window" : "tab"
    let tab = try await session.send("POST", "/window/new", ["type": type])["handle"].text ?? ""
    try await switchTab(to: tab)
    return tab
  }

  /// Switches to another tab.
  public func switchTab(to tab: String) async throws {
    try await session.send("POST", "/window", ["handle": .text(tab)])
  }

  /// Closes the current tab.
  public func closeTab() async throws { try await session.send("DELETE", "/window") }

  /// Switches to the page's only frame, whatever its address is, or back to the page around it.
  public func enterFrame(_ isInside: Bool = true) async throws {
    try await session.send("POST", "/frame", ["id": isInside ? .number(0) : .null])
  }

  /// Runs a function body in the page and returns its result.
  @discardableResult
  public func runScript(_ body: String, _ arguments: WebValue...) async throws -> WebValue {
    try await session.send(
      "POST", "/execute/sync", ["script": .text(body), "args": .list(arguments)])
  }

  /// Runs an asynchronous function body in the page and returns its result.
  @discardableResult
  public func runAsyncScript(_ body: String, _ arguments: WebValue...) async throws -> WebValue {
    let whole =
      "const done = arguments[arguments.length - 1]; (async (...args) => {\(body)})(...arguments)"
      + ".then(done, error => done('failed: ' + error));"
    return try await session.send(
      "POST", "/execute/async", ["script": .text(whole), "args": .list(arguments)])
  }

  /// Waits until an expression in the page is true. Returns whether it became true.
  public func shows(_ expression: String, within seconds: Double = 20) async -> Bool {
    await Sandbox.holds(within: seconds) {
      (try? await runScript("return Boolean(\(expression))").isTrue) ?? false
    }
  }

  /// A PNG screenshot of the page, also saved below `.build/pictures` for inspection.
  @discardableResult
  public func takeScreenshot(_ name: String) async throws -> Data {
    guard let text = try await session.send("GET", "/screenshot").text,
      let data = Data(base64Encoded: text)
    else { throw ProgramFailed(message: "no picture of \(name)") }
    let folder = Project.root.appendingPathComponent(".build/pictures")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try data.write(to: folder.appendingPathComponent("\(name)-\(engine.rawValue).png"))
    return data
  }
}
