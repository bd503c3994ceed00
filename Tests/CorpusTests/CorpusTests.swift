import Foundation
import HostileInput
import TestSupport
import Testing

/// Inputs that once broke a parser, and inputs that lead the fuzzer to all parts of one. Inputs
/// that `make nightly ARGS=fuzz` finds are added to `Tests/Fuzz/Corpus` once the defect is fixed.
@Suite struct CorpusTests {
  static let folder = Project.root.appendingPathComponent("Tests/Fuzz/Corpus")

  @Test(arguments: HostileTarget.allCases)
  func `no input of the corpus causes a failure`(_ target: HostileTarget) throws {
    let place = Self.folder.appendingPathComponent(target.rawValue)
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
    #expect(!names.isEmpty)
    for name in names {
      let input = Array(try Data(contentsOf: place.appendingPathComponent(name)))
      let complaint = target.complaint(about: input)
      #expect(complaint == nil, "\(target.rawValue)/\(name)")
    }
  }
}
