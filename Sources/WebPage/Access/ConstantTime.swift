/// Compares two secrets, or their hashes, in a time that does not depend on the first difference.
func isEqualInConstantTime(_ first: [UInt8], _ second: [UInt8]) -> Bool {
  guard first.count == second.count else { return false }
  var difference: UInt8 = 0
  for index in first.indices { difference |= first[index] ^ second[index] }
  return difference == 0
}
