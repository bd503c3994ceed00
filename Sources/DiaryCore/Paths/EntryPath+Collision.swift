extension EntryPath {
  /// The name beside this one of a file that cannot be merged into it: `name-<8 hex>.md`, from the hex
  /// name of its content; the rule of a merge of two folders.
  package func apart(by content: String) -> EntryPath { marked(content.prefix(8)) }
}
