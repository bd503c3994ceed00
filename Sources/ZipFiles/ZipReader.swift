// ZipFiles: reads and writes zip archives. No other code uses libzip.
// DiaryKit's import and export pass paths and bytes and receive bytes.
// It never unpacks to disk and trusts no name, size or type in an archive. An item that could be
// written elsewhere or fill the memory is an error before the first byte is read.

import CZip
import Glibc
import Localization

/// One file of an archive.
package struct ZipItem: Sendable, Equatable {
  /// The path in the archive, with `/` as separator.
  package let name: String
  /// The unpacked size according to the archive. Reading never returns more.
  package let size: Int
  /// The item's position in the archive, from 0.
  let index: UInt64
}

/// The limits for the unpacked size of an archive. Photos hardly shrink in a zip, and text shrinks
/// to about a tenth. Archives that are made to fill a disk shrink a thousandfold and more.
package struct ZipLimits: Sendable {
  /// The maximum number of items.
  package var maxItems = 1_000_000
  /// The maximum size of all items together, in bytes.
  package var maxTotalSize = 256 << 30
  /// The maximum ratio of unpacked to packed size, for all items together and for each item. It is
  /// not checked for sizes up to ``uncheckedRatioSize`` bytes.
  package var maxRatio = 250
  /// The size in bytes that is allowed for any ratio.
  package var uncheckedRatioSize = 64 << 20

  package init() {}
}

/// An open archive. Items are found by name and read as streams.
///
/// Only one task may use it at a time: libzip's handle has no lock.
package final class ZipReader {
  private let archive: OpaquePointer
  /// The files of the archive in its order. Folders are not included.
  package let items: [ZipItem]
  /// The number of bytes that are read in one step.
  private static let chunkSize = 1 << 16

  /// Opens an archive and checks all of its items.
  package init(path: String, limits: ZipLimits = ZipLimits()) throws(ZipError) {
    var code: Int32 = 0
    guard let archive = zip_open(path, ZIP_RDONLY, &code) else {
      throw Self.openError(code)
    }
    do throws(ZipError) {
      items = try Self.checkedItems(archive, limits, fileSize: Self.size(of: path))
    } catch {
      zip_discard(archive)
      throw error
    }
    self.archive = archive
  }

  deinit { zip_discard(archive) }

  /// Returns the file with exactly this name, or `nil`.
  package func item(named name: String) -> ZipItem? {
    let index = zip_name_locate(archive, name, 0)
    guard index >= 0, let place = items.firstIndex(at: UInt64(index)) else { return nil }
    return items[place]
  }

  /// The bytes of an item's name as they are in the archive.
  package func rawName(of item: ZipItem) -> [UInt8] {
    guard let name = zip_get_name(archive, item.index, UInt32(ZIP_FL_ENC_RAW)) else { return [] }
    return UnsafeBufferPointer(start: name, count: strlen(name)).map { UInt8(bitPattern: $0) }
  }

  /// Returns a file's bytes. More than `limit` bytes are an error.
  package func contents(of item: ZipItem, limit: Int) throws -> [UInt8] {
    guard item.size <= limit else {
      throw ZipError(reason: .tooLarge(localized("more than \(limit) bytes")), item: item.name)
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(item.size)
    try read(item) { bytes += $0 }
    return bytes
  }

  /// Reads a file in pieces. The checksum is verified at the end: the pieces are valid only if no
  /// error is thrown.
  package func read(
    _ item: ZipItem, _ receive: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    guard let file = zip_fopen_index(archive, item.index, 0) else {
      throw ZipError(reason: .library(message(zip_get_error(archive))), item: item.name)
    }
    defer { zip_fclose(file) }
    var total = 0
    try withUnsafeTemporaryAllocation(byteCount: Self.chunkSize, alignment: 8) { buffer in
      while true {
        let count = buffer.baseAddress.map { zip_fread(file, $0, UInt64(buffer.count)) } ?? -1
        guard count >= 0 else {
          throw ZipError(reason: .library(message(zip_file_get_error(file))), item: item.name)
        }
        if count == 0 { break }
        total += Int(count)
        guard total <= item.size else {
          throw ZipError(
            reason: .tooLarge(
              localized(
                "more than the \(item.size) bytes that the archive states")),
            item: item.name)
        }
        try receive(UnsafeRawBufferPointer(rebasing: buffer[..<Int(count)]))
      }
    }
    guard total == item.size else {
      throw ZipError(reason: .library(localized("it ends too early")), item: item.name)
    }
  }
}

// MARK: - Items and checks

extension ZipReader {
  private static func checkedItems(
    _ archive: OpaquePointer, _ limits: ZipLimits, fileSize: Int
  ) throws(ZipError) -> [ZipItem] {
    let count = Int(zip_get_num_entries(archive, 0))
    guard count <= limits.maxItems else {
      throw ZipError(reason: .tooLarge(localized("more than \(limits.maxItems) items")), item: nil)
    }
    var items: [ZipItem] = []
    var names: Set<String> = []
    var total = 0
    for index in 0..<UInt64(max(0, count)) {
      var status = zip_stat_t()
      guard zip_stat_index(archive, index, 0, &status) == 0 else {
        throw ZipError(reason: .library(message(zip_get_error(archive))), item: "#\(index + 1)")
      }
      let name = status.name.map { String(cString: $0) } ?? ""
      guard isSafe(name), names.insert(name).inserted else {
        throw ZipError(reason: .unsafeName, item: name)
      }
      try check(archive, index, status, name)
      if name.hasSuffix("/") { continue }
      let size = Int(clamping: status.size)
      total = Int(clamping: UInt(total) + UInt(size))
      try check(size, packed: Int(clamping: status.comp_size), limits, item: name)
      // Items may share packed bytes, so the total is compared with the size of the archive file.
      try check(total, packed: fileSize, limits, item: nil)
      items.append(ZipItem(name: name, size: size, index: index))
    }
    return items
  }

  private static func check(
    _ size: Int, packed: Int, _ limits: ZipLimits, item: String?
  ) throws(ZipError) {
    guard size <= limits.maxTotalSize else {
      throw ZipError(
        reason: .tooLarge(localized("more than \(limits.maxTotalSize) bytes")), item: item)
    }
    guard size <= limits.uncheckedRatioSize || size / limits.maxRatio <= packed else {
      throw ZipError(
        reason: .tooLarge(localized("more than \(limits.maxRatio) times its packed size")),
        item: item)
    }
  }

  /// Returns whether a path stays inside its folder: no `..`, no root, no drive, and no backslash,
  /// which is a separator on other systems.
  private static func isSafe(_ name: String) -> Bool {
    guard !name.isEmpty, !name.hasPrefix("/"), !name.contains("\\"), !name.contains("\0") else {
      return false
    }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    if parts[0].hasSuffix(":") { return false }
    return parts.dropLast().allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
      && parts.last != "." && parts.last != ".."
  }

  private static func check(
    _ archive: OpaquePointer, _ index: UInt64, _ status: zip_stat_t, _ name: String
  ) throws(ZipError) {
    guard status.encryption_method == UInt16(ZIP_EM_NONE) else {
      throw ZipError(reason: .encrypted, item: name)
    }
    var system: UInt8 = 0
    var attributes: UInt32 = 0
    zip_file_get_external_attributes(archive, index, 0, &system, &attributes)
    // Unix and macOS store the file's mode in the upper half; 0 if it was not recorded.
    let kind = (attributes >> 16) & 0o170000
    guard ![3, 19].contains(system) || [0, 0o100000, 0o040000].contains(kind) else {
      throw ZipError(reason: .notRegular, item: name)
    }
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func openError(_ code: Int32) -> ZipError {
    if [ZIP_ER_NOZIP, ZIP_ER_INCONS, ZIP_ER_EOF].contains(code) {
      return ZipError(reason: .noArchive, item: nil)
    }
    var error = zip_error_t()
    zip_error_init_with_code(&error, code)
    defer { zip_error_fini(&error) }
    return ZipError(reason: .library(message(&error)), item: nil)
  }

  private static func message(_ error: UnsafeMutablePointer<zip_error_t>) -> String {
    String(cString: zip_error_strerror(error))
  }

  private func message(_ error: UnsafeMutablePointer<zip_error_t>) -> String {
    Self.message(error)
  }
}

extension [ZipItem] {
  /// Returns the array index of the item at this position in the archive. The array has its order.
  fileprivate func firstIndex(at index: UInt64) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle].index < index { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low].index == index ? low : nil
  }
}
