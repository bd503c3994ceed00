import DiaryCore
import Glibc
import Localization
import Synchronization

/// Whether a file is there, as surely as one look can tell.
package enum Presence: Sendable, Equatable {
  /// It is there and an ordinary file.
  case present(FileSignature)
  /// It is gone: its folder is there, can be read, and is on the device that it was on.
  case absent
  /// It cannot be seen, and that does not mean that it was deleted.
  case unknown(UncertaintyReason)

  /// Why an absence proves nothing.
  package enum UncertaintyReason: Sendable, Hashable {
    /// The folder is gone too: moved, unmounted, or deleted as a whole.
    case folderMissing
    /// The folder's names cannot be read; the `errno`.
    case folderUnreadable(Int32)
    /// The folder lies on another device than before: something was mounted or unmounted.
    case otherDevice
    /// The journal's folder has another name now, or none.
    case journalMoved
    /// Something that is not an ordinary file has the name.
    case notRegular
    /// The look itself failed; the `errno`.
    case failed(Int32)
  }
}

extension Presence.UncertaintyReason: CustomStringConvertible {
  /// The doubt in words.
  package var description: String {
    switch self {
    case .folderMissing: localized("its folder is missing")
    case .folderUnreadable(let code): localized("its folder cannot be read: \(errnoMessage(code))")
    case .otherDevice: localized("its folder is on another device than before")
    case .journalMoved: localized("the journal's folder is not where it was")
    case .notRegular: localized("it is no longer a regular file")
    case .failed(let code): localized("it cannot be checked: \(errnoMessage(code))")
    }
  }
}

extension JournalFolder {
  /// Whether `path` is there. Devices are compared with those of the last ``walk(_:)`` by this
  /// object, or with the root's.
  package func presence(of path: EntryPath) -> Presence {
    guard isRootUnchanged else { return .unknown(.journalMoved) }
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
    // A folder that was lost under us (a stale mount) answers "no such file" to every name.
    guard listFolder(directory.number) != nil else { return .unknown(.folderUnreadable(errno)) }
    return .absent
  }

  /// Whether the root's name still leads to the folder that is held open.
  package var isRootUnchanged: Bool {
    var opened = stat()
    var named = stat()
    return fstat(rootDescriptor, &opened) == 0 && opened.st_nlink > 0 && stat(root, &named) == 0
      && opened.st_ino == named.st_ino && opened.st_dev == named.st_dev
  }

  /// A folder that was not seen yet is taken to be where the nearest one above it was.
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
