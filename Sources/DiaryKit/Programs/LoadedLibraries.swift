import EntryFormats
import EntryIndex
import GitHistory
import ZipFiles

/// The libraries that this process has loaded, which the system or the release brings.
package enum LoadedLibraries {
  /// Their names and versions.
  package static var versions: [(name: String, version: String)] {
    [
      ("libgit2", GitLibrary.version), ("SQLite", SQLiteLibrary.version),
      ("cmark-gfm", MarkdownLibrary.version), ("libzip", ZipLibrary.version),
    ]
  }
}
