import Foundation
import TestSupport
import Testing

/// The decisions of `.ci/tests` and `.ci/run-group` after a failure, with a script in place of the
/// tests.
@Suite struct SecondTryTests {
  private let home: Sandbox

  init() throws {
    home = try Sandbox()
    home.set("LOGS", home.homePath + "/logs")
    home.set("DIARY_SEED", "17")
    try home.write("ATests.Slow\nATests.Slower\n", to: "second-tries")
  }

  /// Runs `.ci/tests` on two suites. `failing` is what the first try of the tests prints; a second
  /// try passes.
  private func run(
    _ failing: String, mayTryAgain: Bool = true,
    secondTry: String = "✔ Test run with 2 tests passed after 1 second."
  ) async throws -> (result: Sandbox.ProgramResult, tries: [String]) {
    home.set("SECOND_TRY", mayTryAgain ? home.homePath + "/second-tries" : nil)
    home.set(
      "TESTS",
      try home.script(
        "tests",
        """
        case "$*" in *--list-tests*) printf 'ATests.Slow/x()\\nATests.Strict/y()\\n'; exit ;; esac
        echo "$DIARY_SEED $*" >> \(home.homePath)/tries
        if [ $(wc -l < \(home.homePath)/tries) = 1 ]; then printf '%s\\n' '\(failing)'; exit 1; fi
        printf '%s\\n' '\(secondTry)'
        case '\(secondTry)' in *passed*) ;; *) exit 1 ;; esac

        """))
    let result = try await home.run(Project.root.path + "/.ci/tests", ["."])
    return (result, try home.read("tries").split(separator: "\n").map(String.init))
  }

  private static let ending = "✘ Test run with 2 tests failed after 1 second with 1 issue."

  @Test func `a listed suite passes at the second try with the same seed, and is counted`()
    async throws
  {
    let (result, tries) = try await run("✘ Suite Slow failed after 1 second.\n\(Self.ending)")
    #expect(result.status == 0, "\(result)")
    #expect(tries.count == 2 && tries.allSatisfy { $0.hasPrefix("17 ") })
    #expect(tries.last?.contains("^ATests[.](Slow)/") == true)
    #expect(result.output.hasPrefix("DIARY_SEED=17\n"))
    #expect(result.output.contains("Failed, and passed at the second try: ATests"))
    #expect(result.output.contains("passed at the second try: 1 suites ATests.Slow\n"), "\(result)")
  }

  @Test(arguments: [
    // A suite that no list names, alone and beside a listed one.
    "✘ Suite Strict failed after 1 second.\n\(ending)",
    "✘ Suite Slow failed after 1 second.\n✘ Suite Strict failed after 1 second.\n\(ending)",
    // A test outside of any suite.
    ending,
    // A process that crashed, in any suite, after a listed one has failed.
    "✘ Suite Slow failed after 1 second.",
  ])
  func `any other suite that fails fails the run`(_ failing: String) async throws {
    let (result, tries) = try await run(failing)
    #expect(result.status != 0, "\(result)")
    #expect(tries.count == 1, "\(tries)")
    #expect(result.output.contains("Failed: ATests, with DIARY_SEED=17"), "\(result)")
    #expect(result.output.contains("passed at the second try: 0 suites\n"), "\(result)")
  }

  @Test func `a listed suite that fails twice fails the run`() async throws {
    let failing = "✘ Suite Slow failed after 1 second.\n\(Self.ending)"
    let (result, tries) = try await run(failing, secondTry: Self.ending)
    #expect(result.status != 0 && tries.count == 2, "\(result)")
    #expect(result.output.contains("Failed at the second try: ATests"), "\(result)")
    #expect(result.output.contains("passed at the second try: 0 suites\n"), "\(result)")
  }

  @Test func `there is no second try unless it is requested`() async throws {
    let failing = "✘ Suite Slow failed after 1 second.\n\(Self.ending)"
    let (result, tries) = try await run(failing, mayTryAgain: false)
    #expect(result.status != 0 && tries.count == 1, "\(result)")
  }

  @Test func `the logs of another tier are kept`() async throws {
    try home.write("old", to: "logs/check/A.log")
    try home.write("old", to: "logs/chosen/A.log")
    _ = try await run("✘ Suite Slow failed after 1 second.\n\(Self.ending)")
    #expect(home.exists("logs/check/A.log") && !home.exists("logs/chosen/A.log"))
    #expect(home.exists("logs/chosen/ATests.log") && home.exists("logs/chosen/ATests.second.log"))
  }
}
