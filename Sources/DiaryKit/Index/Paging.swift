import Foundation
import Subprocess

/// Hands text to the reader's pager on the terminal; answers whether it was shown.
package func showInPager(
  _ text: [UInt8], with line: String, _ environment: RuntimeEnvironment
) async throws -> Bool {
  try await ProcessRunner(environment: environment).runShellLine(input: text, line: line) == 0
}
