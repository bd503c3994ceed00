/// Returns a word as a shell reads it, quoted if necessary.
package func shellWord(_ word: String) -> String {
  let isPlain =
    !word.isEmpty
    && word.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0)
        || "/._-+,:@%~".unicodeScalars.contains($0)
    }
  return isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
}
