import Foundation
import HostileInput
import TestSupport
import Testing

/// Inputs that once broke a reader, and some that show the fuzzer every corner of one. `make fuzz`
/// finds more; what it finds is mended, and stays in `Tests/Fuzz/Corpus`.
@Suite struct CorpusTests {
  static let folder = Project.root.appendingPathComponent("Tests/Fuzz/Corpus")

  @Test(arguments: HostileTarget.allCases)
  func `no input of the corpus does harm`(_ target: HostileTarget) throws {
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
