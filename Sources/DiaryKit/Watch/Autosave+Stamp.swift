import DiaryCore
import EntryFiles
import GitHistory

extension Autosave {
  /// Follows the editor of a new entry whose stamp waits, and requests the weather that it lacks.
  /// The weather is fetched now, while saves continue, and written when the editor has closed.
  func requestStamp(of path: EntryPath, _ file: FileContents, at moment: Int) {
    editors.look(at: path, in: journal)
    guard journal.weather.canFetchWeather, journal.weather.needsWeather(file) else { return }
    stamps.beginRequest(at: moment)
    spawn { await $0.fetchWeather(for: path, at: moment) }
  }

  private func fetchWeather(for path: EntryPath, at moment: Int) async {
    let journal = journal
    let weather = try? await journal.weather.weatherText(at: moment, for: path, seconds: 10)
    do {
      try await journal.weather.addWeather(weather, to: path, at: moment)
      if weather == nil { schedule[.queuedStamps] = schedule[.queuedStamps] ?? Backoff(first: 60) }
      stamps.endRequest(at: moment)
    } catch {
      stamps.endRequest(at: moment, unstored: weather)
      report(error)
    }
  }

  /// Handles the creation or removal of a swap or lock file next to an entry.
  func editorFileChanged(_ lockFile: EntryPath) {
    guard let path = EditorLockFiles.entry(of: lockFile) else { return }
    editors.recordLockFileEvent(of: path, in: journal)
    stamps.unblock(path)
    scheduleCheckoutRetry(after: [path])
  }

  /// Writes the stamps whose editors have closed; each is a save of its sitting. A stamp is forgotten
  /// only when it is saved, so that neither an error nor a kill loses it.
  func writeStamps() async {
    stamps.endCheck()
    for (path, stamp) in stamps.ready where editors.isClosed(path, in: journal) {
      do {
        var refusal: FileRefusal?
        do { refusal = try await write(stamp, into: path) } catch let error as FileError
          where error.reason == .cannotExchange
        {}  // The watcher does not write where the file system cannot exchange two files.
        switch refusal {
        case nil: break
        case .open, .changing:
          stamps.postpone()
          continue
        case .notUpdated, .notSaved, .emptiedByCrash, .missing:
          stamps.block(path)
          continue
        }
        try await journal.weather.removeWaitingStamp(of: path, at: stamp.moment)
        editors.forgetTraces(of: path)
        stamps.endRetries()
      } catch {
        stamps.postpone()
        report(error)
      }
    }
  }

  /// Returns the refusal if a command would not change the file either, as while a sync has a newer
  /// text for it. A file that is gone gets no stamp.
  private func write(
    _ stamp: WaitingStamp, into path: EntryPath
  ) async throws -> FileRefusal? {
    let journal = journal
    guard journal.folder.presence(of: path) != .absent else { return nil }
    let attempt = try await journal.locked { journal -> StampAttempt in
      let entered = try await journal.saver.enter([path])
      guard let file = entered.settled[path] else {
        return .refused(entered.refusals[path] ?? .changing)
      }
      return try await journal.writeStamp(
        file, moment: stamp.moment, weather: stamp.weather, allowsPlainRename: false)
    }
    switch attempt {
    case .unneeded: return nil
    case .refused(let refusal): return refusal
    case .written(let bytes, let displacedFile):
      if let displacedFile { displaced.add([(path, displacedFile, bytes)], of: journal) }
    }
    // If this save fails, the file is saved like a change by the user.
    recordWrite(to: path)
    let outcome = try await journal.locked { journal in
      let found = try await journal.saver.collectChanges([path], atStart: false)
      return try await journal.saver.saveChanges(found, from: .command)
    }
    log.emit(.stamped(path, weather: stamp.weather))
    logOutcome(outcome)
    extendSitting()
    indexUpdates.add([path])
    return nil
  }

  /// Fetches and writes stamps that failed without a network, while saves continue. An entry that
  /// was just written may be open in an editor without a lock file, so it is skipped for now.
  func fillQueuedStampsInBackground() {
    schedule.running.insert(.queuedStamps)
    let waiting = stamps.paths
    let (journal, quiet) = (journal, journal.editorIdleTimeout)
    spawn { watcher in
      do {
        let filled = try await journal.weather.fillQueuedStamps { path in
          guard !waiting.contains(path), let stamp = try? journal.folder.signature(of: path) else {
            return false
          }
          return Int64(journal.now) * 1_000_000_000 - stamp.modified >= quiet
        }
        for path in filled.written {
          watcher.log.emit(.stamped(path, weather: nil))
          watcher.editors.recordWrite(to: path)
        }
        if !filled.written.isEmpty { watcher.extendSitting() }
        let next = watcher.schedule[.queuedStamps]?.next()
        watcher.schedule[.queuedStamps] = filled.left ? next : nil
      } catch {
        watcher.schedule.retry(.queuedStamps, first: 60)
        watcher.report(error)
      }
      watcher.schedule.running.remove(.queuedStamps)
    }
  }
}
