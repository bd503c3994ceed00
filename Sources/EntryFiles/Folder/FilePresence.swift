import DiaryCore
import Glibc
import Localization
import Synchronization

/// The presence of a file, as reliably as a single check can tell.
package enum FilePresence: Sendable, Equatable {
  /// A regular file exists.
  case present(FileSignature)
  /// The file was removed: its folder exists, is readable and is the same one as before.
  case absent
  /// The file cannot be checked; it is not known to be deleted.
  case unknown(UncertaintyReason)

  /// The reason why a missing file may not have been deleted.
  package enum UncertaintyReason: Sendable, Hashable {
    /// The folder is missing too: moved, unmounted or deleted as a whole.
    case folderMissing
    /// The folder cannot be listed; with the `errno`.
    case folderUnreadable(Int32)
    /// The folder is on another device than before: something was mounted or unmounted.
    case otherDevice
    /// A folder above it is not mounted or was replaced by an empty one.
    case folderAway
    /// The journal's folder was renamed or removed.
    case journalMoved
    /// The name belongs to something that is not a regular file.
    case notRegular
    /// The check itself failed; with the `errno`.
    case failed(Int32)
  }
}

extension FilePresence.UncertaintyReason: CustomStringConvertible {
  /// The reason as a message.
  package var description: String {
    switch self {
    case .folderMissing: localized("its folder is missing")
    case .folderUnreadable(let code): localized("its folder cannot be read: \(errnoMessage(code))")
    case .otherDevice: localized("its folder is on another device than before")
    case .folderAway: localized("its folder is not mounted or was replaced by an empty one")
    case .journalMoved: localized("the journal's folder is no longer at its path")
    case .notRegular: localized("it is no longer a regular file")
    case .failed(let code): localized("it cannot be checked: \(errnoMessage(code))")
    }
  }
}

extension JournalFolder {
  /// Checks whether `path` exists. The device of its folder is compared with that of the last
  /// ``scan(_:includesOthers:)`` of this object, or with the root's.
  package func presence(of path: EntryPath) -> FilePresence {
    guard isInPlace else { return .unknown(.journalMoved) }
    let folder = path.folder
    let flags = O_RDONLY | O_DIRECTORY
    let number = openBeneath(rootDescriptor, folder?.bytes ?? [UInt8(ascii: ".")], flags)
    guard number >= 0 else {
      if isAbsence(errno) || errno == ELOOP { return .unknown(.folderMissing) }
      return .unknown(.folderUnreadable(errno))
    }
    let directory = Descriptor(owning: number)
    var status = stat()
    guard fstat(directory.number, &status) == 0 else { return .unknown(.failed(errno)) }
    guard UInt64(status.st_dev) == expectedDevice(of: folder) else { return .unknown(.otherDevice) }
    if fstatat(directory.number, path.nameCString, &status, AT_SYMLINK_NOFOLLOW) == 0 {
      return status.isRegular ? .present(FileSignature(status)) : .unknown(.notRegular)
    }
    guard errno == ENOENT else { return .unknown(.failed(errno)) }
    // In a folder whose mount is stale, every name is reported as missing.
    guard listFolder(directory.number) != nil else { return .unknown(.folderUnreadable(errno)) }
    return awayFolder(above: path) == nil ? .absent : .unknown(.folderAway)
  }

  /// The device of the folder at the last scan; for an unknown folder, that of its nearest parent.
  private func expectedDevice(of folder: EntryPath?) -> UInt64 {
    foreignDevices.withLock { devices in
      if devices.isEmpty { return rootDevice }
      var next = folder
      while let folder = next {
        if let device = devices[folder] { return device }
        next = folder.folder
      }
      return rootDevice
    }
  }
}
