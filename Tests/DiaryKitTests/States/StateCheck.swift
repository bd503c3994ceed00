import DiaryCore
import Foundation
import TestSupport
import Testing

@testable import DiaryKit

/// A journal whose `a.md` has two versions and comes from a source of imports, which each cell of
/// the table gets a copy of.
struct SampleBase {
  private let world: TestJournal

  init() async throws {
    let first = try await ReceivingJournal([
      "a.md": SampleState.text, "other.md": "Another entry.\n",
    ])
    world = first.world
    _ = try await first.importNotes(["a.md": SampleState.text])
    var addition = NewEntry()
    addition.message = "A paragraph by mistake."
    _ = try await first.journal.entries.add(addition, to: "a.md", withTime: false)
  }

  func copy() async throws -> ReceivingJournal {
    let sample = try ReceivingJournal(try await TestJournal(copyOf: world))
    // The copy's source of imports is the copy of the source.
    let marks = "j/.git/diary/imported.json"
    let home = sample.world.home
    let former = world.home.homePath.replacing("/", with: "\\/")
    let text = try home.read(marks).replacing(
      former, with: home.homePath.replacing("/", with: "\\/"))
    try home.write(text, to: marks)
    return sample
  }

  /// Brings a copy of the journal into a state and passes it to `body`. Returns false if nobody may
  /// mount a disk here.
  func withSample(
    in state: SampleState, _ body: @Sendable (ReceivingJournal) async throws -> Void
  ) async throws -> Bool {
    var sample = try await copy()
    let home = sample.world.home
    do {
      try await state.make(in: &sample)
    } catch is ReceivingJournal.NoMounts {
      return false
    }
    let made = sample
    switch state {
    case .suspended:
      try await home.withWatcher(mustEnd: false) { watcher in
        guard await watcher.becomesIdle() else { throw ProgramFailed(message: watcher.output) }
        watcher.signal(SIGSTOP)
        try made.write(made.text("a.md") + "\nA line of my own.\n", "a.md")
        try await body(made)
        watcher.signal(SIGKILL)
      }
    case .editing:
      home.set(
        "EDITOR",
        try home.script(
          "editor",
          """
          text=$(cat "$1"); echo begun; while [ ! -e \(home.homePath)/end ]; do sleep 0.05; done
          printf '%s\\nA line of my own.\\n' "$text" >"$1"
          """))
      try await BackgroundProcess.run(
        home, Sandbox.programs + "/diary", ["edit", "a.md"], in: "j"
      ) { process in
        guard await process.prints("begun") else { throw ProgramFailed(message: process.output) }
        try await body(made)
      }
    default: try await body(made)
    }
    try await sample.unmount()
    return true
  }
}

extension ReceivingJournal {
  /// No disk may be mounted here.
  struct NoMounts: Error {}

  /// Mounts something at a path of the home.
  mutating func mount(_ option: String, _ source: String, _ path: String) async throws {
    let place = world.home.homePath + "/" + path
    guard try await world.home.run("mount", [option, source, place]).status == 0 else {
      throw NoMounts()
    }
    mounts.append(place)
  }

  mutating func unmount() async throws {
    for place in mounts { try await world.home.run("umount", ["-l", place]) }
    mounts = []
  }

  /// Moves the journal to a disk of its own and fills that.
  mutating func fill() async throws {
    let home = world.home
    try await home.run("cp", ["-a", "j", "full"])
    let place = home.homePath + "/j"
    guard
      try await home.run("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", place]).status == 0
    else { throw NoMounts() }
    mounts.append(place)
    try await home.run("sh", ["-c", "cp -a full/. j; cat /dev/zero >j/.git/filler"])
    try reopen()
  }

  /// Appends to a file of the home as a program does that has it open.
  func appendInPlace(_ text: String, to name: String) throws {
    let file = try FileHandle(forWritingTo: URL(filePath: world.home.homePath + "/" + name))
    try file.seekToEnd()
    try file.write(contentsOf: Data(text.utf8))
    try file.close()
  }

  func append(_ text: String, to name: String) throws { try write(self.text(name) + text, name) }

  /// Imports notes of a folder, as another program would export them again.
  func importNotes(_ notes: [String: String]) async throws -> ImportOutcome {
    for (name, text) in notes { try world.home.write(text, to: "notes/" + name) }
    let source = try ImportSource(world.home.homePath + "/notes", for: journal)
    return try await journal.transfer.importEntries(
      journal.transfer.readImport([source], format: "markdown")
    ) { _, _, _ in }
  }

  /// Receives an entry to which the other device has added these words.
  func receiveWords(_ words: String, at path: EntryPath) async throws {
    try await world.home.git("pull", "-q", "--no-rebase", "--no-edit", in: "other")
    var text = (try? world.home.read("other/" + path.text)) ?? ""
    if let place = text.range(of: "We met") {
      text.insert(contentsOf: words + "\n\n", at: place.lowerBound)
    } else {
      text += words + "\n"
    }
    try await receive([path.text: text])
  }

  /// Sends the journal to a new remote.
  func send(_ words: [String]) async throws -> SampleCommand.Outcome {
    try await world.home.git("clone", "-q", "--bare", "j", "remote.git", in: "")
    _ = try await world.git("remote", "add", "origin", world.home.homePath + "/remote.git")
    let branch = try await world.git("branch", "--show-current").trimmingCharacters(in: .newlines)
    _ = try await world.git("config", "branch.\(branch).remote", "origin")
    _ = try await world.git("config", "branch.\(branch).merge", "refs/heads/\(branch)")
    let save = try await journal.remote.sync().save
    let sent = try await world.home.git("log", "-p", "-m", "--all", "--format=", in: "remote.git")
    let isSent = words.allSatisfy(sent.contains)
    return isSent ? .done : .skipped(save.skipped.first?.reason ?? "not sent")
  }

  /// The texts of all Markdown files of the journal, by name.
  func texts() throws -> [String: String] {
    let (files, folder) = (FileManager.default, world.home.homePath + "/j")
    // Not all of `.git`, where another program may make and remove folders meanwhile.
    var names = (try? files.contentsOfDirectory(atPath: folder + "/.git/diary")) ?? []
    names = names.filter { $0.hasPrefix(".diary-") }.map { ".git/diary/" + $0 }
    for name in try files.contentsOfDirectory(atPath: folder) where name != ".git" {
      let below = (try? files.subpathsOfDirectory(atPath: folder + "/" + name)) ?? []
      names += [name] + below.map { name + "/" + $0 }
    }
    var found: [String: String] = [:]
    for name in names where name != "INDEX.md" {
      guard [".md", ".txt", ".yml"].contains(where: name.hasSuffix) || name.hasPrefix(".git/"),
        let data = files.contents(atPath: folder + "/" + name)
      else { continue }
      found[name] = data.count < 1 << 20 ? String(decoding: data, as: UTF8.self) : "\(data.count)"
    }
    return found
  }

  /// The texts of all objects of the repository.
  private func objects() async throws -> String {
    try await world.git("cat-file", "--batch-all-objects", "--batch", "--unordered")
  }

  /// Runs a command on the path of the state, and compares what it does with the table.
  func check(_ command: SampleCommand, in state: SampleState, _ expected: StateTable.Cell) async {
    let cell: Comment = "\(state.rawValue) × \(command.rawValue)"
    do {
      let before = try texts()
      if command == .show {
        let status = try await journal.status()
        #expect(state.isNamed(in: status), "\(cell): \(status)")
      }
      let outcome = try await command.run(on: state, in: self)
      let after = try texts()
      switch (expected, outcome) {
      case (.ok, .done), (.first, .done), (.skip, .skipped): break
      case (.no, .refused): #expect(after == before, cell)
      case (.again, .refused): #expect(after[state.path.text] != before[state.path.text], cell)
      default: Issue.record("\(cell): \(expected) is expected, got \(outcome)")
      }
      try await release(state)
      let files = try texts().values.joined(separator: "\n")
      var needed = state.words
      if case .done = outcome { needed += [command.words].compactMap(\.self) }
      let former = needed.filter { !files.contains($0) }
      let history = former.isEmpty ? "" : try await objects()
      for words in former { #expect(history.contains(words), "\(cell): \(words)") }
      if state.isFromElsewhere, ![.delete, .restore, .undo].contains(command) {
        // While the words wait, the branch has them.
        for words in state.words where !files.contains(words) {
          let found = try? await world.git("grep", "-qF", words, "HEAD")
          #expect(found != nil, "\(cell): \(words)")
        }
      }
      if command == .leave, world.home.exists("j/.git/diary") == false { return }
      try await checkRest(state, cell, outcome)
    } catch {
      Issue.record("\(cell): \(error)")
    }
  }

  /// Ends what no command can end.
  private func release(_ state: SampleState) async throws {
    switch state {
    case .displaced:
      try await journal.locked { [displaced] in try await $0.saver.discard(displaced) }
    case .full: try world.remove(".git/filler")
    case .readOnly: try await world.home.run("mount", ["-o", "remount,bind,rw", "j/trip"])
    case .editing:
      try world.home.write("", to: "end")
      let isWritten = await Sandbox.holds { (try? text("a.md").hasSuffix("my own.\n")) ?? false }
      #expect(isWritten)
    default: break
    }
  }

  /// After a command, `status` names a state that is left, and a second save has nothing to do.
  private func checkRest(
    _ state: SampleState, _ cell: Comment, _ outcome: SampleCommand.Outcome
  ) async throws {
    if state.isLasting {
      switch outcome {
      case .done: break
      case .refused, .skipped:
        let status = try await journal.status()
        let isNamed =
          state.isNamed(in: status) || status.toUpdate.contains { $0.path == state.path }
        #expect(isNamed, "\(cell): \(status)")
      }
    }
    _ = try await journal.save()
    let again = try await journal.save()
    #expect(again.saved == [] && again.commit == nil, cell)
    let marked = try texts().filter { $0.value.contains("<<<<<<<") }.keys
    #expect(marked.isEmpty || state == .unmerged, "\(cell): \(marked)")
  }
}
