import DiaryCore
import Glibc

/// The watch by inotify, as one thread runs it: sleeps until the kernel tells something.
final class InotifyLoop {
  let root: String
  let outlet: any EventOutlet
  /// Whether each write to a file is told, and not only that the writer has let go of it; so are
  /// permissions and times.
  let tellsWrites: Bool
  let wake: WakeEvent
  /// Folders that may be watched, for trying out what happens when the kernel has no more to give.
  let watchLimit: Int
  /// Milliseconds between two looks whether a folder that is away has come back.
  let awayPause: CInt

  var inotify: Inotify?
  var folders = WatchedFolders()
  /// Files that have other names, by their watches.
  var linked: [CInt: Set<EntryPath>] = [:]
  private var mounts: MountTable?
  private var identity: FileIdentity?
  private var isAway = false
  private var hasBegun = false
  /// The watch of the folder in which the root lies, and the root's name there.
  private var parentWatch: CInt?
  private var rootName: [UInt8] = []
  /// The root was not where it was when a folder in it was opened.
  var rootLooksLost = false
  /// To be sent once all that was told so far has been worked through.
  var rescan: RescanReason?

  init(
    root: String, outlet: any EventOutlet, wake: WakeEvent, watchLimit: Int = .max,
    awayPause: Duration = .seconds(5), tellsWrites: Bool = false
  ) {
    self.tellsWrites = tellsWrites
    self.root = root
    self.outlet = outlet
    self.wake = wake
    self.watchLimit = watchLimit
    self.awayPause = awayPause.pollMilliseconds
  }

  /// Watches until it is told to end.
  func run() throws(WatchError) {
    try begin(.began(.inotify))
    while try turn() {}
  }

  /// Watches everything anew, and then asks for a rescan.
  ///
  /// A new instance knows nothing of what the old one had still to tell; the rescan covers it.
  func begin(_ reason: RescanReason) throws(WatchError) {
    inotify = nil
    parentWatch = nil
    linked = [:]
    folders = WatchedFolders()
    rootLooksLost = false
    do throws(WatchError) {
      let folder = try FolderDescriptor(root: root)
      identity = folder.identity
    } catch {
      guard error.isPassing else { throw error }
      return leaveRoot()
    }
    let path = realPath()
    mounts = MountTable(root: path)
    inotify = try Inotify(for: root, tellsWrites: tellsWrites)
    try watch(nil, reporting: false)
    guard folders.count > 0 else { return leaveRoot() }
    try watchParent(of: path)
    // It may have gone before its parent was watched.
    guard isRootInPlace() else { return try begin(reason) }
    isAway = false
    rescan = nil
    outlet.send(.rescan(hasBegun ? reason : .began(.inotify)))
    hasBegun = true
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
  func takeOfParent(_ notice: InotifyEvent) throws(WatchError) -> Bool {
    guard notice.watch == parentWatch else { return false }
    if notice.says(IN_IGNORED) { parentWatch = nil }
    // Another folder of the same name may have got the same number.
    let went = notice.name == rootName && notice.says(IN_DELETE | IN_MOVED_FROM)
    if went || (notice.name == rootName || notice.name.isEmpty) && !isRootInPlace() {
      try begin(.rootReturned)
    }
    return true
  }

  private func leaveRoot() {
    inotify = nil
    parentWatch = nil
    linked = [:]
    folders = WatchedFolders()
    identity = nil
    rescan = nil
    if !isAway { outlet.send(.rescan(.rootVanished)) }
    isAway = true
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
  func turn(sleeps: Bool = true) throws(WatchError) -> Bool {
    var polled = [
      pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: inotify?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: mounts?.descriptor ?? -1, events: Int16(POLLPRI), revents: 0),
    ]
    let pause = !sleeps ? 0 : isAway ? awayPause : -1
    if poll(&polled, nfds_t(polled.count), pause) < 0 {
      guard errno == EINTR else {
        throw .system(operation: "wait for events of", path: root, errno: errno)
      }
      return true
    }
    if polled[0].revents != 0 { return false }
    if isAway {
      try begin(.rootReturned)
    } else if polled[2].revents != 0, mounts?.hasChanged() == true {
      try begin(.mountsChanged)
    } else if polled[2].revents != 0 {
      try checkRoot()
    }
    if polled[1].revents != 0 { try drain() }
    return true
  }

  /// Begins anew when the root's name no longer means the folder that is watched.
  func checkRoot() throws(WatchError) {
    rootLooksLost = false
    if !isRootInPlace() { try begin(.rootReturned) }
  }

  func isRootInPlace() -> Bool {
    var status = stat()
    guard stat(root, &status) == 0 else { return false }
    return identity == FileIdentity(status)
  }

  /// Works through all that has been told.
  private func drain() throws(WatchError) {
    while let inotify {
      let notices = try inotify.read()
      if notices.isEmpty { return }
      for notice in notices {
        try take(notice)
        // Begun anew: what the old instance told is covered by the rescan.
        guard self.inotify === inotify else { return }
      }
      if rootLooksLost { try checkRoot() }
      if let rescan { outlet.send(.rescan(rescan)) }
      rescan = nil
    }
  }
}
