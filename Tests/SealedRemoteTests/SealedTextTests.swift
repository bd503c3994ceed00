import Testing
import TestSupport

@testable import SealedRemote

@Suite struct SealedTextTests {
  private static let object = String(repeating: "0a", count: 20)

  @Test(arguments: [0, 1, 4075, 4076, 5771, 100_000, 1_048_555, 1_048_556, 40_000_000])
  func `a padded text is one of a few sizes and gives its content back`(_ length: Int) {
    let content = [UInt8](repeating: 7, count: length)
    let text = PaddedText.padded(content)
    #expect(text.count == PaddedText.size(for: length) && text.count >= 4096)
    #expect(
      Double(text.count) <= max(4096, Double(length + 21) * (length > 1_048_576 ? 1.051 : 1.42)))
    #expect(PaddedText.content(of: text) == content)
    #expect(PaddedText.content(of: Array(text.dropLast(text.count - length - 20))) == nil)
  }

  @Test func `all texts of a few kilobytes have one size`() {
    #expect(Set((0...4075).map(PaddedText.size)) == [4096])
    #expect(Set((1...1_000_000).lazy.map(PaddedText.size)).count < 20)
  }

  @Test(arguments: [
    "", "5", "00000000000000000005", "00000000000000000005\n1234", "-0000000000000000005\n12345",
    "0000000000000000000x\n12345", "99999999999999999999\n12345", "00000000000000000005\n123456",
  ])
  func `other texts are not read`(_ text: String) {
    #expect(PaddedText.content(of: Array(text.utf8)) == nil)
  }

  private static let refs = CarrierRefs(
    carrier: "c", number: 3, parent: object, bundles: nil, head: RefName("refs/heads/main"),
    refs: [RefName("refs/heads/main"): object, RefName("refs/tags/가을"): object])

  @Test func `the list of refs is read as it was written`() {
    #expect(CarrierRefs(Self.refs.text) == Self.refs)
    var first = Self.refs
    (first.parent, first.bundles, first.refs) = (nil, Self.object, [:])
    #expect(CarrierRefs(first.text) == first)
  }

  @Test func `a list of refs that differs in one byte is another one or none`() {
    var numbers = SeededGenerator()
    let bytes = Array(Self.refs.text.utf8)
    for _ in 0..<2_000 {
      var changed = bytes
      changed[Int.random(in: 0..<bytes.count, using: &numbers)] = .random(
        in: 0...255, using: &numbers)
      guard changed != bytes, let read = CarrierRefs(String(decoding: changed, as: UTF8.self))
      else {
        continue
      }
      #expect(read != Self.refs)
      #expect(
        read.refs.keys.allSatisfy(\.text.isRefName) && read.refs.values.allSatisfy(\.isObjectID))
    }
  }

  @Test(arguments: [
    "HEAD", "refs", "refs/", "refs//a", "refs/heads/.a", "refs/heads/a.lock", "refs/heads/a..b",
    "refs/heads/a b", "refs/heads/a~1", "refs/heads/a\u{7f}", "refs/heads/@{1}", "refs/heads/a.",
    "refs/heads/a\\b", "-refs/heads/a", "refs/heads/a*",
  ])
  func `a name that git refuses is no name of a ref`(_ name: String) async throws {
    #expect(!name.isRefName)
    let home = try Sandbox()
    let git = try await home.run("git", ["check-ref-format", name])
    #expect(git.status != 0 || !name.hasPrefix("refs/"))
  }

  @Test func `the head of a bundle is read as it was written`() {
    let header = BundleHeader(
      prerequisites: [Self.object], tips: [(Self.object, "refs/heads/main")])
    let bytes = Array(header.text.utf8)
    let read = BundleHeader.read(bytes + Array("PACK".utf8))
    #expect(read?.header == header && read?.length == bytes.count)
    for length in 0..<bytes.count { #expect(BundleHeader.read(Array(bytes.prefix(length))) == nil) }
    #expect(BundleHeader.read(Array("# v3 git bundle\n\n".utf8)) == nil)
  }

  @Test func `bundles are folded when there are too many, and sizes double towards the older ones`()
  {
    var sizes: [Int] = []
    var written = 0
    for _ in 0..<5_000 {
      sizes.append(4_000)
      written += 4_000
      guard let range = SealedSession.foldable(sizes, most: 64) else { continue }
      let total = sizes[range].reduce(0, +)
      sizes.replaceSubrange(range, with: [total])
      written += total
      #expect(zip(sizes, sizes.dropFirst()).allSatisfy { $0 >= 2 * $1 }, "\(sizes)")
    }
    #expect(sizes.count <= 64 + 13)
    let large = [Int](repeating: 40 << 20, count: 100)
    #expect(SealedSession.foldable(large, most: 64) == nil)
    let small = [Int](repeating: 9, count: 65)
    #expect(SealedSession.foldable(large + small, most: 64) == 100..<165)
    // A large one in between does not keep the others from it.
    #expect(SealedSession.foldable(small + large + [9], most: 64) == 0..<65)
    #expect(SealedSession.foldable([9] + large + small + large, most: 64) == 101..<166)
    // Nothing can be joined where each stands alone.
    #expect(SealedSession.foldable([9, 40 << 20, 9, 40 << 20, 9], most: 1) == nil)
    #expect(SealedSession.foldable([Int](repeating: 20 << 20, count: 65), most: 64) == 63..<65)
  }

  @Test(arguments: [
    ("/srv/host", "/srv/host", true), ("host", "/home/me/host", true),
    ("./a:b", "/home/me/./a:b", true),
    ("me@example.org:diary", "me@example.org:diary", false),
    ("https://example.org/diary", "https://example.org/diary", false),
    ("file:///srv/host", "file:///srv/host", true),
  ])
  func `a folder is absolute, and other addresses are as they were`(
    _ address: String, _ text: String, _ isFolder: Bool
  ) throws {
    let host = try HostAddress(address, currentFolder: "/home/me")
    #expect(host.text == text && host.isFolder == isFolder)
  }

  @Test(arguments: ["", "-oProxyCommand=x", "diary::host", "diary://host", "a\nb"])
  func `an address that git must not get is refused`(_ address: String) {
    #expect(throws: SealedError.self) { try HostAddress(address, currentFolder: "/") }
  }

  @Test(arguments: [
    (#"main:abc"#, "main:abc"), (#""\355\225\234:abc""#, "한:abc"), (#""a\"b\\c:d""#, #"a"b\c:d"#),
    (#"""#, #"""#),
  ])
  func `a value in git's quotes is read`(_ quoted: String, _ value: String) {
    #expect(HelperConversation.unquoted(quoted[...]) == value)
  }

  // MARK: Keys

  @Test func `a key of age-keygen is read in any form, and no mistake in it`() async throws {
    let home = try Sandbox()
    let file = try await home.run("age-keygen", []).output
    let key = try AgeIdentity(file)
    #expect(file.contains(key.line + "\n"))
    #expect(try AgeIdentity(key.rows.joined(separator: "\n  ").lowercased()) == key)
    #expect(key.rows.allSatisfy { $0.count <= 24 })
    let letters = Array(key.line)
    for index in letters.indices {
      for letter in "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7LB1IO-é" where letter != letters[index] {
        var changed = letters
        changed[index] = letter
        #expect(throws: SealedError.self, "\(index) \(letter)") { try AgeIdentity(String(changed)) }
      }
      var swapped = letters
      swapped.swapAt(index, max(0, index - 1))
      if swapped != letters {
        #expect(throws: SealedError.self, "\(index)") { try AgeIdentity(String(swapped)) }
      }
      #expect(throws: SealedError.self) { try AgeIdentity(String(letters.prefix(index))) }
    }
    #expect(throws: SealedError.self) { try AgeIdentity(file + file) }
  }
}
