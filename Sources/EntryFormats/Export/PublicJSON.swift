import DiaryCore

/// Returns entries in their public form (docs/cli.md) with their whole text as one ordered array.
package func entriesJSON(_ entries: [ExportEntry]) throws -> [UInt8] {
  try EntryJSON.encoded(entries.map { EntryJSON(entry: $0.summary, body: $0.body) })
}
