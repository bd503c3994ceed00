import DiaryCore
import EntryFiles
import Foundation
import GitHistory
import Glibc

/// A stamp that waits for the editor to let go.
struct PendingStamp {
  /// The moment it tells of, Unix seconds.
  var moment: Int
  /// The weather of that moment, fetched at once, while it is true; `nil`: none came (yet).
  var weather: String?
}

/// Who has an entry open, as its swap and lock files have told so far.
struct Editor {
  /// A file was seen that stays as long as the text is open (vim, nano, LibreOffice, Kate).
  var hasSwapped = false
  /// Processes that lock only while there are unsaved changes (Emacs).
  var locking: Set<Int32> = []

  /// Whether one of them still runs.
  var isAlive: Bool { locking.contains { kill($0, 0) == 0 || errno == EPERM } }
}

/// What came out of an exchange and may still be written into.
struct Aside: Sendable {
  var file: AsideFile
  var path: EntryPath
  /// What the stamp put in its place.
  var wrote: [UInt8]
  /// When it is looked at, nanoseconds on the monotonic clock.
  var until: Int64
  var looks = 0
}

extension Autosave {
  /// A new entry was saved: its weather is fetched now and written when the editor has let go.
  func askForStamp(_ path: EntryPath) async {
    lookForEditor(of: path)
    var stamp = PendingStamp(moment: journal.now, weather: nil)
    stamps[path] = stamp
    guard journal.canAskForWeather, journal.wantsWeather(path) else { return }
    do {
      stamp.weather = try await journal.weatherText(at: stamp.moment, for: path, seconds: 10)
      if stamps[path] != nil { stamps[path] = stamp }
    } catch {
      do {
        try await journal.owe(path, moment: stamp.moment)
        owedRetry = owedRetry ?? Retry(first: 60)
      } catch {
        report(error)
      }
    }
  }

  /// A swap or lock file came or went beside some entry.
  func noticeTrace(_ trace: EntryPath) {
    if let path = EditorTraces.entry(of: trace) { lookForEditor(of: path) }
  }

  /// Remembers who has the entry open, as far as swap and lock files tell.
  private func lookForEditor(of path: EntryPath) {
    for trace in EditorTraces.traces(beside: path, in: journal.folder) {
      var editor = editors[path] ?? Editor()
      if case .running(let process) = trace.owner, trace.path.name.hasPrefix(".#") {
        editor.locking.insert(process)
      } else {
        editor.hasSwapped = true
      }
      editors[path] = editor
    }
  }

  /// When the next pending stamp is looked at. While a lock file stands beside the entry its end
  /// wakes us; without one the pause of a sitting decides, and a program that still has the file is
  /// asked about on a slow beat.
  var nextStampLook: Int64? {
    let sitting = Self.nanoseconds(journal.settings.sitting)
    return stamps.keys.compactMap { path in
      guard !journal.hasEditorTrace(path) else { return nil }
      let beat = Self.clock + Self.nanoseconds(2)
      let isTold = editors[path]?.hasSwapped == true || editors[path]?.locking.isEmpty == false
      return isTold ? beat : max((lastWrites[path] ?? Self.clock) + sitting, beat)
    }.min()
  }

  /// Promise 9: a swap or lock file was seen and is gone and no process holds the file, or a whole
  /// `sitting` has passed without a write. Emacs takes its lock file away at every save and keeps the
  /// text; there the end of the process decides, or twelve sittings without a write.
  private func editorHasLetGo(of path: EntryPath) -> Bool {
    if journal.hasEditorTrace(path) {
      lookForEditor(of: path)
      return false
    }
    let isHeld = !OpenFiles.holders(of: [path], root: journal.root).isEmpty
    if isHeld { return false }
    let quiet = Self.clock - (lastWrites[path] ?? 0)
    let sitting = Self.nanoseconds(journal.settings.sitting)
    let editor = editors[path] ?? Editor()
    if editor.isAlive { return quiet >= 12 * max(sitting, Self.nanoseconds(300)) }
    return editor.hasSwapped || !editor.locking.isEmpty || quiet >= sitting
  }

  /// Writes the stamps whose editors have let go; each is a save of its sitting.
  func writeStamps() async throws {
    for (path, stamp) in stamps where editorHasLetGo(of: path) {
      stamps[path] = nil
      editors[path] = nil
      let journal = journal
      let written = try await journal.exclusively {
        try journal.writeStamp(
          path, moment: stamp.moment, weather: stamp.weather, plainRename: false)
      }
      guard let written else { continue }
      lastWrites[path] = Self.clock
      let settle = Self.nanoseconds(journal.settings.settle)
      if let aside = written.aside {
        asides.append(
          Aside(file: aside, path: path, wrote: written.bytes, until: Self.clock + settle))
      }
      let outcome = try await journal.exclusively {
        try await journal.keep(try await journal.gather([path], atStart: false))
      }
      tell(.stamped(path, weather: stamp.weather))
      announce(outcome)
      try await journal.refresh(only: [path])
      try journal.writeList()
      extendSitting()
    }
  }

  /// Promise 8: what came out of an exchange is kept aside until `settle` has passed, for an editor
  /// may still be writing into it.
  func lookAtAsides() async throws {
    let due = asides.filter { isDue($0.until) }
    asides.removeAll { isDue($0.until) }
    for aside in due { try await settle(aside) }
  }

  func settle(_ aside: Aside) async throws {
    let isBusy = aside.file.isBeingWritten && aside.looks < 100
    guard let late = try aside.file.lateBytes(), !isBusy else {
      if isBusy { lookAgain(at: aside) } else { aside.file.discard() }
      return
    }
    if late.isEmpty, aside.looks < 10 {
      // Emptied to be written anew: the words are still to come.
      return lookAgain(at: aside)
    }
    let journal = journal
    let kept = try await journal.exclusively {
      try await journal.takeIn(late: late, at: aside.path, wrote: aside.wrote)
    }
    aside.file.discard()
    announce(kept)
  }

  private func lookAgain(at aside: Aside) {
    var again = aside
    again.looks += 1
    again.until = Self.clock + Self.nanoseconds(journal.settings.settle)
    asides.append(again)
  }

  /// Stamps that are owed from a time without a network.
  func payOwed() async throws {
    guard isDue(owedRetry?.at) else { return }
    let waiting = stamps
    let paid = try await journal.payOwedStamps { path in waiting[path] == nil }
    for path in paid.written {
      tell(.stamped(path, weather: nil))
      lastWrites[path] = Self.clock
    }
    if !paid.written.isEmpty { extendSitting() }
    owedRetry = paid.left ? owedRetry?.next() : nil
  }
}
