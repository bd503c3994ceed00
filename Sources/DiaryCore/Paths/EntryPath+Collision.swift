extension EntryPath {
  /// The path for a file that cannot be merged into the one at this path: `name-<8 hex>.md`, from
  /// the hexadecimal id of its content. A merge of two folders uses the same rule.
  package func conflictCopyPath(contentID id: String) -> EntryPath { pathWithSuffix(id.prefix(8)) }
}
