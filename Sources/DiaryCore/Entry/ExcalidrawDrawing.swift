/// Returns whether a Markdown file is a drawing of Obsidian's plugin Excalidraw, whose text is data.
package func isDrawing(_ text: EntryText, _ name: String) -> Bool {
  name.lowercased().hasSuffix(".excalidraw.md") || text.field("excalidraw-plugin") != nil
}
