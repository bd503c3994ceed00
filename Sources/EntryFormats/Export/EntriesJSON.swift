import DiaryCore

/// Entries in their public form (docs/cli.md) with their whole text: one array, in this order.
package func entriesJSON(_ entries: [ExportEntry]) throws -> [UInt8] {
  try EntryJSON.encoded(entries.map { EntryJSON(entry: $0.summary, body: $0.body) })
}
