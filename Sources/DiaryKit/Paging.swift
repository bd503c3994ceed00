import Foundation
import Subprocess

/// Hands text to the reader's pager on the terminal; answers whether it was shown.
public func page(
  _ text: [UInt8], with line: String, _ surroundings: Surroundings
) async throws -> Bool {
  try await Programs(surroundings: surroundings).feed(text, toShellLine: line) == 0
}
