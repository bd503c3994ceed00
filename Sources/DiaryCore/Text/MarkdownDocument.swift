import CMark
import Synchronization

/// The only place that parses Markdown with cmark-gfm.
package enum MarkdownDocument {
  /// A lock for one parse at a time. A parse registers the characters of extensions in tables that
  /// all parsers share (`cmark_inlines_add_special_character`), and removes them at its end. In
  /// parallel, the end of one parse broke the links of another text.
  private static let parseLock = Mutex(())

  /// Registers cmark's extensions once per process: the library's own check is not thread-safe.
  private static let extensions: Void = cmark_gfm_core_extensions_ensure_registered()

  /// Parses a text. The caller frees the document with `cmark_node_free`.
  package static func parse(
    _ text: [UInt8], extensions names: [String], options: CInt = CMARK_OPT_DEFAULT
  ) -> OpaquePointer? {
    extensions
    let address = parseLock.withLock { _ in
      // An integer, because a pointer may not leave the lock.
      document(of: text, names, options).map { UInt(bitPattern: $0) }
    }
    return address.flatMap { OpaquePointer(bitPattern: $0) }
  }

  private static func document(
    of text: [UInt8], _ names: [String], _ options: CInt
  ) -> OpaquePointer? {
    guard let parser = cmark_parser_new(options) else { return nil }
    defer { cmark_parser_free(parser) }
    for name in names {
      if let found = cmark_find_syntax_extension(name) {
        cmark_parser_attach_syntax_extension(parser, found)
      }
    }
    text.withUnsafeBytes {
      cmark_parser_feed(parser, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
    }
    return cmark_parser_finish(parser)
  }
}
