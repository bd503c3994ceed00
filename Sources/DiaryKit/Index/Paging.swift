import Foundation
import Subprocess

/// Hands text to the reader's pager on the terminal; answers whether it was shown.
package func page(
  _ text: [UInt8], with line: String, _ environment: RuntimeEnvironment
) async throws -> Bool {
  try await ProcessRunner(environment: environment).feed(text, toShellLine: line) == 0
}
