import DiaryCore
import Glibc

/// The watch by inotify, as one thread runs it: sleeps until the kernel tells something.
final class InotifyLoop {
  let root: String
  let sink: any EventSink
  /// Whether each write to a file is told, and not only that the writer has let go of it; so are
  /// permissions and times.
  let reportsWrites: Bool
  let wake: WakeEvent
  /// Folders that may be watched, for trying out what happens when the kernel has no more to give.
  let watchLimit: Int
  /// Milliseconds between two looks whether a folder that is away has come back.
  let rootRetryInterval: CInt

  var inotify: Inotify?
  var folders = WatchedFolders()
  /// Files that have other names, by their watches.
  var linkedFiles: [CInt: Set<EntryPath>] = [:]
  private var mounts: MountTable?
  private var identity: FileIdentity?
  private var isRootMissing = false
  private var hasStarted = false
  /// The watch of the folder in which the root lies, and the root's name there.
  private var parentWatch: CInt?
  private var rootName: [UInt8] = []
  /// The root was not where it was when a folder in it was opened.
  var needsRootCheck = false
  /// To be sent once all that was told so far has been worked through.
  var rescan: RescanReason?

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

  /// Watches until it is told to end.
  func run() throws(WatchError) {
    try restart(.started(.inotify))
    while try pollOnce() {}
  }

  /// Watches everything anew, and then asks for a rescan.
  ///
  /// A new instance knows nothing of what the old one had still to tell; the rescan covers it.
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
    // It may have gone before its parent was watched.
    guard isRootInPlace() else { return try restart(reason) }
    isRootMissing = false
    rescan = nil
    sink.send(.rescan(hasStarted ? reason : .started(.inotify)))
    hasStarted = true
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

  /// Takes a notice of the folder in which the root lies; `false`: it is about another one.
  func handleParent(_ event: InotifyEvent) throws(WatchError) -> Bool {
    guard event.watch == parentWatch else { return false }
    if event.has(IN_IGNORED) { parentWatch = nil }
    // Another folder of the same name may have got the same number.
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

  /// Sleeps, and works through what woke it; `false`: it was told to end.
  ///
  /// The sleep has no end while the folder is there: idle costs nothing.
  /// - Parameter sleeps: `false`: it only works through what has been told by now.
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

  /// Begins anew when the root's name no longer means the folder that is watched.
  func checkRoot() throws(WatchError) {
    needsRootCheck = false
    if !isRootInPlace() { try restart(.rootReturned) }
  }

  func isRootInPlace() -> Bool {
    var status = stat()
    guard stat(root, &status) == 0 else { return false }
    return identity == FileIdentity(status)
  }

  /// Works through all that has been told.
  private func handleAvailableEvents() throws(WatchError) {
    while let inotify {
      let events = try inotify.read()
      if events.isEmpty { return }
      for event in events {
        try handle(event)
        // Begun anew: what the old instance told is covered by the rescan.
        guard self.inotify === inotify else { return }
      }
      if needsRootCheck { try checkRoot() }
      if let rescan { sink.send(.rescan(rescan)) }
      rescan = nil
    }
  }
}
