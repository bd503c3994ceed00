extension EntryPath {
  /// The path with `-N` before its extension: `walk-2.md`.
  package func numbered(_ number: Int) -> EntryPath { pathWithSuffix(String(number)) }

  /// This path if `isFree` accepts it, or else the first numbered one, from 2, that it accepts.
  /// `nil` if there is none up to 10,000.
  package func firstFreePath(
    where isFree: (EntryPath) throws -> Bool
  ) rethrows -> EntryPath? {
    if try isFree(self) { return self }
    for number in 2...10_000 {
      let path = numbered(number)
      if try isFree(path) { return path }
    }
    return nil
  }
}
