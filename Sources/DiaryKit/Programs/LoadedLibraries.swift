import EntryFormats
import EntryIndex
import GitHistory
import ZipFiles

/// The libraries that this process has loaded, from the system or the release.
package enum LoadedLibraries {
  /// Their names and versions.
  package static var versions: [(name: String, version: String)] {
    [
      ("libgit2", GitLibrary.version), ("SQLite", SQLiteLibrary.version),
      ("cmark-gfm", MarkdownLibrary.version), ("libzip", ZipLibrary.version),
    ]
  }
}
