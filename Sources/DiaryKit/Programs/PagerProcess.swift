import Foundation
import Subprocess

/// Shows text in the user's pager on the terminal. Returns true if it was shown.
package func showInPager(
  _ text: [UInt8], with line: String, _ environment: RuntimeEnvironment
) async throws -> Bool {
  try await ProcessRunner(environment: environment).runShellLine(input: text, line: line) == 0
}
