import CMark

/// The library that parses Markdown.
package enum MarkdownLibrary {
  /// The version of cmark-gfm, such as `0.29.0.gfm.6`.
  package static var version: String { String(cString: cmark_version_string()) }
}
