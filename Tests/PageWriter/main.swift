// Saves a page's text in the journal of the current folder, as the web server does. The arguments
// are the entry's path, new title and new body. Tests use it to stop a save at each of its steps.

import DiaryCore
import DiaryKit
import Foundation

let environment = RuntimeEnvironment.current()
let words = CommandLine.arguments.dropFirst().map { $0 }
guard words.count == 3, let path = EntryPath(words[0]) else { exit(64) }
do {
  let journal = try Journal(root: environment.currentFolder, environment: environment)
  let version = try await journal.page.editable(path).version
  let outcome = try await journal.page.write(path, title: words[1], body: words[2], from: version)
  guard case .written = outcome else { throw DiaryError("\(outcome)") }
} catch {
  try? FileHandle.standardError.write(
    contentsOf: Data("diary: \(DiaryError(error).message)\n".utf8))
  exit(1)
}
