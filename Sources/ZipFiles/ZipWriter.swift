import CZip
import Glibc
import Localization

/// The modification time of an item in an archive: local time, because an archive has no zones.
/// Other values become the nearest possible one: the years 1980 to 2107, and even seconds.
package struct ZipTime: Sendable, Equatable {
  let date: UInt16
  let time: UInt16

  /// Creates a time from its numbers; `seconds` since midnight.
  package init(year: Int, month: Int, day: Int, seconds: Int = 0) {
    if year < 1980 {
      (date, time) = (1 << 5 | 1, 0)
    } else if year > 2107 {
      (date, time) = (127 << 9 | 12 << 5 | 31, 0)
    } else {
      date = UInt16((year - 1980) << 9 | month << 5 | day)
      time = UInt16((seconds / 3600) << 11 | (seconds / 60 % 60) << 5 | seconds % 60 / 2)
    }
  }
}

/// A new archive. Items are in the order in which they were added. It contains nothing about the
/// machine or the current time: the same items produce the same bytes.
///
/// The items are read one after the other and in parts, when ``finish(isCancelled:)`` writes the
/// archive. Only one task may use it at a time.
package final class ZipWriter {
  /// Returns at most `count` bytes of an item. An empty array is its end.
  package typealias ChunkReader = (_ offset: Int, _ count: Int) throws -> [UInt8]

  private var archive: OpaquePointer?
  private let writeState = ZipWriteState()

  /// Creates an archive at a path that does not exist yet.
  package init(path: String) throws(ZipError) {
    var code: Int32 = 0
    archive = zip_open(path, ZIP_CREATE | ZIP_EXCL, &code)
    guard archive != nil else {
      var error = zip_error_t()
      zip_error_init_with_code(&error, code)
      defer { zip_error_fini(&error) }
      throw ZipError(reason: .library(String(cString: zip_error_strerror(&error))), item: nil)
    }
  }

  deinit { archive.map(zip_discard) }

  /// Adds an item from memory.
  package func add(
    _ name: String, _ bytes: [UInt8], time: ZipTime, isPacked: Bool = true
  ) throws(ZipError) {
    try add(Array(name.utf8), size: bytes.count, time: time, isPacked: isPacked) {
      { offset, count in Array(bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)]) }
    }
  }

  /// Adds an item that is opened when it is written.
  ///
  /// - Parameters:
  ///   - name: the path in the archive with `/` as separator, in UTF-8 or as other bytes.
  ///   - size: the size in bytes. An item of another size is an error.
  ///   - isPacked: whether it is compressed, which only enlarges pictures.
  ///   - opening: opens the item, possibly more than once.
  package func add(
    _ name: [UInt8], size: Int, time: ZipTime, isPacked: Bool,
    opening: @escaping () throws -> ChunkReader
  ) throws(ZipError) {
    let itemName = String(decoding: name, as: UTF8.self)
    let item = ZipSource(itemName, size, opening, writeState)
    // The archive now owns the item and releases it with `ZIP_SOURCE_FREE`.
    let retainedItem = Unmanaged.passRetained(item)
    guard let archive, let source = zip_source_function(archive, zipSource, retainedItem.toOpaque())
    else {
      retainedItem.release()
      throw libraryError(itemName)
    }
    let flags: zip_flags_t =
      String(validating: name, as: UTF8.self) == nil ? 0 : UInt32(ZIP_FL_ENC_UTF_8)
    let index = (name + [0]).withUnsafeBytes { bytes in
      bytes.baseAddress.map {
        zip_file_add(archive, $0.assumingMemoryBound(to: CChar.self), source, flags)
      } ?? -1
    }
    guard index >= 0 else {
      zip_source_free(source)
      throw libraryError(itemName)
    }
    let itemIndex = UInt64(index)
    // 3 is Unix, with the file's mode in the upper half: a regular file that is readable for all.
    guard
      zip_set_file_compression(archive, itemIndex, isPacked ? ZIP_CM_DEFLATE : ZIP_CM_STORE, 0)
        == 0,
      zip_file_set_dostime(archive, itemIndex, time.time, time.date, 0) == 0,
      zip_file_set_external_attributes(archive, itemIndex, 0, 3, 0o100644 << 16) == 0
    else { throw libraryError(itemName) }
  }

  /// Writes the archive, completely or not at all. Only its owner can read it.
  package func finish(isCancelled: @escaping () -> Bool) throws {
    guard let archive else { return }
    // libzip creates the file here.
    let usual = umask(0o077)
    defer { umask(usual) }
    writeState.isCancelled = isCancelled
    zip_register_cancel_callback_with_state(
      archive,
      { _, state in
        guard let state else { return 0 }
        return Unmanaged<ZipWriteState>.fromOpaque(state).takeUnretainedValue().isCancelled()
          ? 1 : 0
      }, nil, Unmanaged.passUnretained(writeState).toOpaque())
    guard zip_close(archive) == 0 else {
      if let error = writeState.failure { throw error }
      if isCancelled() { throw CancellationError() }
      throw libraryError(nil)
    }
    self.archive = nil
  }

  private func libraryError(_ item: String?) -> ZipError {
    let text = archive.map { String(cString: zip_error_strerror(zip_get_error($0))) } ?? ""
    return ZipError(reason: .library(text), item: item)
  }
}

/// The state that the callbacks of an archive share.
private final class ZipWriteState {
  var isCancelled: () -> Bool = { false }
  /// The first error of an item that could not be read.
  var failure: (any Error)?
}

/// An item that libzip reads through callbacks.
private final class ZipSource {
  let size: Int
  private let name: String
  private let opening: () throws -> ZipWriter.ChunkReader
  private let writeState: ZipWriteState
  private var chunkReader: ZipWriter.ChunkReader?
  private var offset = 0

  init(
    _ name: String, _ size: Int, _ opening: @escaping () throws -> ZipWriter.ChunkReader,
    _ writeState: ZipWriteState
  ) {
    self.name = name
    self.size = size
    self.opening = opening
    self.writeState = writeState
  }

  func open() -> Bool {
    offset = 0
    do { chunkReader = try opening() } catch { return recordFailure(error) }
    return true
  }

  func close() { chunkReader = nil }

  func read(_ target: UnsafeMutableRawBufferPointer) -> Int {
    do {
      let bytes = try chunkReader?(offset, target.count) ?? []
      target.copyBytes(from: bytes)
      offset += bytes.count
      guard offset <= size, !bytes.isEmpty || offset == size else {
        throw ZipError(reason: .library(localized("it changed while it was read")), item: name)
      }
      return bytes.count
    } catch {
      _ = recordFailure(error)
      return -1
    }
  }

  private func recordFailure(_ error: any Error) -> Bool {
    if writeState.failure == nil { writeState.failure = error }
    return false
  }
}

/// The callback for libzip (zip_source_function(3)).
private func zipSource(
  _ state: UnsafeMutableRawPointer?, _ data: UnsafeMutableRawPointer?, _ length: UInt64,
  _ command: zip_source_cmd_t
) -> Int64 {
  guard let state else { return -1 }
  let item = Unmanaged<ZipSource>.fromOpaque(state)
  switch command {
  case ZIP_SOURCE_OPEN: return item.takeUnretainedValue().open() ? 0 : -1
  case ZIP_SOURCE_READ:
    let target = UnsafeMutableRawBufferPointer(start: data, count: Int(length))
    return Int64(item.takeUnretainedValue().read(target))
  case ZIP_SOURCE_CLOSE:
    item.takeUnretainedValue().close()
    return 0
  case ZIP_SOURCE_STAT:
    guard let data else { return -1 }
    let status = data.assumingMemoryBound(to: zip_stat_t.self)
    zip_stat_init(status)
    status.pointee.valid |= UInt64(ZIP_STAT_SIZE)
    status.pointee.size = UInt64(item.takeUnretainedValue().size)
    return Int64(MemoryLayout<zip_stat_t>.size)
  case ZIP_SOURCE_ERROR:
    guard let data, length >= 8 else { return -1 }
    data.storeBytes(of: Int32(ZIP_ER_READ), as: Int32.self)
    data.storeBytes(of: Int32(EIO), toByteOffset: 4, as: Int32.self)
    return 8
  case ZIP_SOURCE_FREE:
    item.release()
    return 0
  case ZIP_SOURCE_SUPPORTS:
    return [
      ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
      ZIP_SOURCE_FREE, ZIP_SOURCE_SUPPORTS,
    ].reduce(0) { $0 | Int64(1) << Int64($1.rawValue) }
  default: return -1
  }
}
