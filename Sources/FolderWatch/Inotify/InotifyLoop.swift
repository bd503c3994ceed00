import DiaryCore
import Glibc

/// The watch by inotify, as one thread runs it: it sleeps until the kernel reports an event.
final class InotifyLoop {
  let root: String
  let sink: any EventSink
  /// True if each write to a file is reported, not only its closing, and permissions and times.
  let reportsWrites: Bool
  let wake: WakeEvent
  /// The most folders that are watched, to test the case in which the kernel's watches run out.
  let watchLimit: Int
  /// Milliseconds between two checks whether a missing folder exists again.
  let rootRetryInterval: CInt

  var inotify: Inotify?
  var folders = WatchedFolders()
  /// The files that have other names (hard links), by their watches.
  var linkedFiles: [CInt: Set<EntryPath>] = [:]
  private var mounts: MountTable?
  private var identity: FileIdentity?
  private var isRootMissing = false
  private var hasStarted = false
  /// The watch of the root's parent folder, and the root's name in it.
  private var parentWatch: CInt?
  private var rootName: [UInt8] = []
  /// True if the root was missing or replaced when a folder in it was opened.
  var needsRootCheck = false
  /// The rescan to send once all events read so far have been handled.
  private var rescan: RescanReason?

  init(
    root: String, sink: any EventSink, wake: WakeEvent, watchLimit: Int = .max,
    rootRetryInterval: Duration = .seconds(5), reportsWrites: Bool = false
  ) {
    self.reportsWrites = reportsWrites
    self.root = root
    self.sink = sink
    self.wake = wake
    self.watchLimit = watchLimit
    self.rootRetryInterval = rootRetryInterval.pollMilliseconds
  }

  /// Watches until it is stopped.
  func run() throws(WatchError) {
    try restart(.started(.inotify))
    while try pollOnce() {}
  }

  /// Sets all watches again, and then requests a rescan.
  ///
  /// A new instance lacks the unread events of the old one; the rescan covers them.
  func restart(_ reason: RescanReason) throws(WatchError) {
    inotify = nil
    parentWatch = nil
    linkedFiles = [:]
    folders = WatchedFolders()
    needsRootCheck = false
    do throws(WatchError) {
      let folder = try FolderDescriptor(root: root)
      identity = folder.identity
    } catch {
      guard error.isFolderError else { throw error }
      return handleMissingRoot()
    }
    let path = realPath()
    mounts = MountTable(root: path)
    inotify = try Inotify(for: root, reportsWrites: reportsWrites)
    try watch(nil, reporting: false)
    guard folders.count > 0 else { return handleMissingRoot() }
    try watchParent(of: path)
    // The folder may have been removed before its parent was watched.
    guard isRootInPlace() else { return try restart(reason) }
    isRootMissing = false
    rescan = nil
    sink.send(.rescan(hasStarted ? reason : .started(.inotify)))
    hasStarted = true
  }

  /// Requests a rescan, sent once all events read so far have been handled. One for a new repository
  /// of the journal is more than one for a folder, and stays.
  func requestRescan(_ reason: RescanReason) {
    if rescan != .repositoryChanged { rescan = reason }
  }

  private func watchParent(of path: String) throws(WatchError) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
    rootName = Array(path.utf8[slash...].dropFirst())
    let parent = String(path[..<slash])
    guard !rootName.isEmpty,
      let folder = try? FolderDescriptor(root: parent.isEmpty ? "/" : parent)
    else { return }
    parentWatch = try inotify?.addParent(folder)
  }

  /// Handles an event of the root's parent folder; returns `false` if it is about another one.
  func handleParent(_ event: InotifyEvent) throws(WatchError) -> Bool {
    guard event.watch == parentWatch else { return false }
    if event.has(IN_IGNORED) { parentWatch = nil }
    // Another folder of the same name may have got the same inode number.
    let isRootRemoved = event.name == rootName && event.has(IN_DELETE | IN_MOVED_FROM)
    if isRootRemoved || (event.name == rootName || event.name.isEmpty) && !isRootInPlace() {
      try restart(.rootReturned)
    }
    return true
  }

  private func handleMissingRoot() {
    inotify = nil
    parentWatch = nil
    linkedFiles = [:]
    folders = WatchedFolders()
    identity = nil
    rescan = nil
    if !isRootMissing { sink.send(.rescan(.rootVanished)) }
    isRootMissing = true
  }

  private func realPath() -> String {
    guard let real = realpath(root, nil) else { return root }
    defer { free(real) }
    return String(cString: real)
  }

  /// Waits, and handles the events that ended the wait; returns `false` if the watch was stopped.
  ///
  /// The wait has no timeout while the folder exists: an idle watch costs nothing.
  /// - Parameter sleeps: False to handle only the events that exist by now.
  func pollOnce(sleeps: Bool = true) throws(WatchError) -> Bool {
    var polled = [
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: inotify?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: mounts?.descriptor ?? -1, events: Int16(POLLPRI), revents: 0),
    ]
    let pause = !sleeps ? 0 : isRootMissing ? rootRetryInterval : -1
    if poll(&polled, nfds_t(polled.count), pause) < 0 {
      guard errno == EINTR else {
        throw .system(operation: "wait for events of", path: root, errno: errno)
      }
      return true
    }
    if polled[0].revents != 0 { return false }
    if isRootMissing {
      try restart(.rootReturned)
    } else if polled[2].revents != 0, mounts?.hasChanged() == true {
      try restart(.mountsChanged)
    } else if polled[2].revents != 0 {
      try checkRoot()
    }
    if polled[1].revents != 0 { try handleAvailableEvents() }
    return true
  }

  /// Sets all watches again if the root's path no longer leads to the watched folder.
  func checkRoot() throws(WatchError) {
    needsRootCheck = false
    if !isRootInPlace() { try restart(.rootReturned) }
  }

  func isRootInPlace() -> Bool {
    var status = stat()
    guard stat(root, &status) == 0 else { return false }
    return identity == FileIdentity(status)
  }

  /// Handles all available events.
  /// - Parameter action: called before each event, to test a folder that changes meanwhile.
  func handleAvailableEvents(before action: () -> Void = {}) throws(WatchError) {
    while let inotify {
      let events = try inotify.read()
      if events.isEmpty { return }
      for event in events {
        action()
        try handle(event)
        // All watches were set again: the rescan covers the events of the old instance.
        guard self.inotify === inotify else { return }
      }
      if needsRootCheck { try checkRoot() }
      if let rescan { sink.send(.rescan(rescan)) }
      rescan = nil
    }
  }
}
