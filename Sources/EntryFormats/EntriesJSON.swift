import DiaryCore

/// Entries in their public form (docs/cli.md) with their whole text: one array, in this order.
public func entriesJSON(_ entries: [SharedEntry]) throws -> [UInt8] {
  try EntryJSON.encoded(entries.map { EntryJSON(entry: $0.listed, body: $0.body) })
}
