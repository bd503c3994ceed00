import CZip

/// The library that reads and writes zip archives.
package enum ZipLibrary {
  /// The version of libzip, such as `1.7.3`.
  package static var version: String { String(cString: zip_libzip_version()) }
}
