import CFuzzer
import Glibc
import HostileInput

/// The reader named by the environment, because libFuzzer restarts itself with its own arguments.
let target: HostileTarget = {
  let name = getenv("DIARY_FUZZ").map { String(cString: $0) } ?? ""
  guard let target = HostileTarget(rawValue: name) else {
    print(HostileTarget.allCases.map(\.rawValue).joined(separator: " "))
    exit(name.isEmpty ? 0 : 64)
  }
  return target
}()

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
let status = LLVMFuzzerRunDriver(&count, &arguments) { start, count in
  // A violated invariant ends the program, and libFuzzer stores the input.
  if let broken = target.complaint(about: Array(UnsafeBufferPointer(start: start, count: count))) {
    fatalError(broken)
  }
  return 0
}
exit(status)
