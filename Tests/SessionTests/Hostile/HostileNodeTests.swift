import Foundation
import Glibc
import TestSupport
import Testing

/// Sockets and devices with names of entries.
extension HostileTests {
  @Test func `sockets with names of entries are reported and not saved`() async throws {
    let sockets = ["2026-01-02-socket.md", "later.md", "picture.png", ".diary/templates/odd.md"]
    try await script("mkdir -p .diary/templates")
    try await makeWhileWatching("socket", Array(sockets.dropFirst().dropLast())) { names in
      for name in names { try await bindSocket(name) }
    }
    for name in [sockets[0], sockets[3]] { try await bindSocket(name) }
    try await expectNoEntries([sockets[0], "later.md"])
    let new = try await diary(["new", "Odd", "--template", "odd", "-m", "x"])
    #expect(new.status == 1 && new.errors.contains("odd"), "\(new)")
    try await script("rm .diary/config.yml 2026-01-01-real.md")
    try await bindSocket(".diary/config.yml")
    try await bindSocket("2026-01-01-real.md")
    try await expectKeptInHistory()
  }

  @Test(.enabled(if: DeviceReadMonitor.isAllowed, "devices cannot be made here"))
  func `devices with names of entries are reported and never read`() async throws {
    // Endless zeros, random bytes, a terminal's input, a disk.
    let nodes = [
      "zero.md": "c 1 5", "chance.md": "c 1 8", "tty.md": "c 5 0", "disk.md": "b 7 0",
      "later.md": "c 1 5", "picture.png": "c 1 5", ".diary/templates/odd.md": "c 1 5",
    ]
    try await script("mkdir -p .diary/templates")
    try await makeWhileWatching("device", ["later.md", "picture.png"]) { names in
      for name in names { try await script("mknod \(name) \(nodes[name] ?? "")") }
    }
    for (name, kind) in nodes where !["later.md", "picture.png"].contains(name) {
      try await script("mknod \(name) \(kind)")
    }
    let witness = try DeviceReadMonitor(nodes.keys.map { home.homePath + "/j/" + $0 })
    try await expectNoEntries(["zero.md", "chance.md", "tty.md", "disk.md", "later.md"])
    let new = try await diary(["new", "Odd", "--template", "odd", "-m", "x"])
    #expect(new.status == 1 && new.errors.contains("odd"), "\(new)")
    #expect(witness.reads == 0)
    // Check that the monitor detects a read.
    try await script("head -c 1 zero.md > /dev/null")
    #expect(witness.reads > 0)
    try await script(
      "rm .diary/config.yml 2026-01-01-real.md; mknod .diary/config.yml c 1 5"
        + "; mknod 2026-01-01-real.md c 1 5")
    let second = try DeviceReadMonitor(
      ["/j/.diary/config.yml", "/j/2026-01-01-real.md"].map { home.homePath + $0 })
    try await expectKeptInHistory()
    #expect(second.reads == 0)
  }

  private func bindSocket(_ name: String) async throws {
    try await script("python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"\(name)\")'")
  }

  /// Creates the files while a watcher runs, which must continue.
  private func makeWhileWatching(
    _ what: String, _ names: [String], _ make: @escaping @Sendable ([String]) async throws -> Void
  ) async throws {
    home.set("DIARY_AUTOSAVE__SETTLE", "100ms")
    try await home.withWatcher(mustEnd: false) { watcher in
      try await make(names)
      try home.write("![](picture.png)\n", to: "j/2026-01-03.md")
      #expect(await watcher.prints("saved 2026-01-03.md"), "\(what): \(watcher.output)")
      watcher.signal(SIGTERM)
      #expect(await watcher.prints("ended"), "\(what): \(watcher.output)")
    }
  }

  /// Expects that every command with a reference answers in time and saves none of these files.
  private func expectNoEntries(_ names: [String]) async throws {
    try await expectNoHarm(Self.commands + [["check", "--fix"], ["tags"], ["index", "--verify"]])
    for name in names {
      let commands = [
        ["show"], ["history"], ["share"], ["rename", name, "Other"], ["delete", "--yes"],
        ["restore"], ["add", "more", "--to"], ["edit"],
      ]
      for command in commands {
        let words = command.contains(name) ? command : command + [name]
        let result = try await diary(words)
        #expect([1, 2, 64].contains(result.status), "\(words): \(result)")
        #expect(result.errors.contains("diary: "), "\(words): \(result)")
      }
      #expect(try await home.run("test", ["-f", name], in: "j").status == 1, "\(name) is a file")
      #expect(try await home.run("test", ["-e", name], in: "j").status == 0, "\(name) is gone")
    }
    let kept = try await home.git("ls-files", in: "j")
    #expect(kept == ".diary/config.yml\n2026-01-01-real.md\n2026-01-03.md\n")
  }

  /// The settings and an entry are no longer files; both must stay unchanged in the history.
  private func expectKeptInHistory() async throws {
    let list = try await diary(["list"])
    #expect(list.status == 0, "\(list)")
    #expect(list.errors.contains(".diary/config.yml: the settings cannot be read"), "\(list)")
    for command in [["save"], ["status"], ["search", "kingfisher"], ["check"]] {
      // An entry shows a picture that is no file any more.
      let allowed = command == ["check"] ? [0, 1] : [0, 2]
      #expect(allowed.contains(try await diary(command).status), "\(command)")
    }
    let kept = try await home.git("ls-tree", "--name-only", "-r", "HEAD", in: "j")
    #expect(kept.contains("2026-01-01-real.md") && kept.contains(".diary/config.yml"), "\(kept)")
  }
}

/// Detects reads of device nodes with inotify.
final class DeviceReadMonitor {
  private let queue: Int32

  init(_ paths: [String]) throws {
    queue = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
    for path in paths {
      guard inotify_add_watch(queue, path, UInt32(IN_ACCESS)) >= 0 else {
        throw ProgramFailed(message: "\(path) cannot be watched")
      }
    }
  }

  deinit { close(queue) }

  /// The number of read events since the last call.
  var reads: Int {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    return max(0, read(queue, &bytes, bytes.count)) / MemoryLayout<inotify_event>.size
  }

  /// Whether a device can be created in the temporary folder and read.
  static var isAllowed: Bool {
    let path = NSTemporaryDirectory() + "diary-node-\(UUID().uuidString)"
    // The character device 1, 5: /dev/zero.
    guard mknod(path, S_IFCHR | 0o600, 1 << 8 | 5) == 0 else { return false }
    defer { unlink(path) }
    let number = open(path, O_RDONLY)
    defer { if number >= 0 { close(number) } }
    return number >= 0
  }
}
