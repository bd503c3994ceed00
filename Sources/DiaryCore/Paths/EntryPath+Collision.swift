extension EntryPath {
  /// The name beside this one of a file that cannot be merged into it: `name-<8 hex>.md`, from the hex
  /// name of its content; the rule of a merge of two folders.
  package func conflictCopyPath(contentID id: String) -> EntryPath { pathWithSuffix(id.prefix(8)) }
}
