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
  case unknown(Doubt)

  /// Why an absence proves nothing.
  package enum Doubt: Sendable, Hashable {
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

extension Presence.Doubt: CustomStringConvertible {
  /// The doubt in words.
  package var description: String {
    switch self {
    case .folderMissing: localized("its folder is missing")
    case .folderUnreadable(let code): localized("its folder cannot be read: \(systemWords(code))")
    case .otherDevice: localized("its folder is on another device than before")
    case .journalMoved: localized("the journal's folder is not where it was")
    case .notRegular: localized("it is no longer a regular file")
    case .failed(let code): localized("it cannot be checked: \(systemWords(code))")
    }
  }
}

extension JournalFolder {
  /// Whether `path` is there. Devices are compared with those of the last ``walk(_:)`` by this
  /// object, or with the root's.
  package func presence(of path: EntryPath) -> Presence {
    guard isWhereItWas else { return .unknown(.journalMoved) }
    let folder = path.folder
    let flags = O_RDONLY | O_DIRECTORY
    let number = openBeneath(rootDescriptor, folder?.bytes ?? [UInt8(ascii: ".")], flags)
    guard number >= 0 else {
      if isAbsence(errno) || errno == ELOOP { return .unknown(.folderMissing) }
      return .unknown(.folderUnreadable(errno))
    }
    let holder = Descriptor(owning: number)
    var facts = stat()
    guard fstat(holder.number, &facts) == 0 else { return .unknown(.failed(errno)) }
    guard UInt64(facts.st_dev) == knownDevice(of: folder) else { return .unknown(.otherDevice) }
    if fstatat(holder.number, path.terminatedName, &facts, AT_SYMLINK_NOFOLLOW) == 0 {
      return facts.isRegular ? .present(FileSignature(facts)) : .unknown(.notRegular)
    }
    guard errno == ENOENT else { return .unknown(.failed(errno)) }
    // A folder that was lost under us (a stale mount) answers "no such file" to every name.
    guard listFolder(holder.number) != nil else { return .unknown(.folderUnreadable(errno)) }
    return .absent
  }

  /// Whether the root's name still leads to the folder that is held open.
  package var isWhereItWas: Bool {
    var held = stat()
    var named = stat()
    return fstat(rootDescriptor, &held) == 0 && held.st_nlink > 0 && stat(root, &named) == 0
      && held.st_ino == named.st_ino && held.st_dev == named.st_dev
  }

  /// A folder that was not seen yet is taken to be where the nearest one above it was.
  private func knownDevice(of folder: EntryPath?) -> UInt64 {
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
