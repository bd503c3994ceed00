@testable import SealedRemote

/// Checks four parts: a list of refs, which is also read as a padded text, the head of a bundle, names of
/// bundles with a line break between them, and a line of git or of a person.
func sealedComplaint(_ input: [UInt8]) -> String? {
  let input = parts(input, 4)
  return refsComplaint(input[0]) ?? paddedComplaint(input[0]) ?? headComplaint(input[1])
    ?? bundlesComplaint(input[2]) ?? lineComplaint(decodedText(input[3]))
}

private func refsComplaint(_ bytes: [UInt8]) -> String? {
  guard let refs = CarrierRefs(decodedText(bytes)) else { return nil }
  if CarrierRefs(refs.text) != refs { return "a list of refs is not read as it was written" }
  let names = refs.refs.keys.map(\.text) + [refs.head.text]
  if !names.allSatisfy(\.isRefName) { return "a ref has a name that git refuses" }
  if !refs.refs.values.allSatisfy(\.isObjectID) { return "a ref has no object" }
  return nil
}

private func paddedComplaint(_ bytes: [UInt8]) -> String? {
  if let content = PaddedText.content(of: bytes),
    !bytes.starts(with: PaddedText.line(for: content.count) + content)
  {
    return "the content of a padded text is not in it"
  }
  return PaddedText.content(of: PaddedText.padded(bytes)) == bytes
    ? nil : "a padded text does not give its content back"
}

private func headComplaint(_ bytes: [UInt8]) -> String? {
  guard let (header, length) = BundleHeader.read(bytes) else { return nil }
  if length > bytes.count { return "the head of a bundle is longer than the bundle" }
  let again = BundleHeader.read(Array(header.text.utf8))
  return again?.header == header ? nil : "the head of a bundle is not read as it was written"
}

private func bundlesComplaint(_ bytes: [UInt8]) -> String? {
  let names = decodedText(bytes).split(separator: "\n").map(String.init)
  let items = names.map { CarrierCopy.Item(mode: "100644", id: $0, size: 1, name: $0) }
  guard let bundles = try? SealedSession.bundles(items) else { return nil }
  let read = bundles.flatMap { bundle in bundle.parts.indices.map { bundle.name(of: $0) } }
  return read == names ? nil : "bundles have other names than their files"
}

private func lineComplaint(_ line: String) -> String? {
  if let update = RefUpdate(line[...], expecting: [:]), update.source?.hasPrefix("-") == true {
    return "git would take the source of a push for an option"
  }
  _ = HelperConversation.unquoted(line[...])
  if let host = try? HostAddress(line, currentFolder: "/home"), host.text.hasPrefix("-") {
    return "git would take the address of the host for an option"
  }
  if let key = try? AgeIdentity(line), (try? AgeIdentity(key.rows.joined(separator: "\n"))) != key {
    return "the rows of a key are not read as the key"
  }
  return nil
}
