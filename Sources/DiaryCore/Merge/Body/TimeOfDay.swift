/// True if a text begins with a time of day, such as `8:05`.
func hasTimePrefix(_ text: some Collection<Unicode.Scalar>) -> Bool { timeOfDay(text) != nil }

/// The time of day at the start of a text, in minutes since midnight.
func timeOfDay(_ text: some Collection<Unicode.Scalar>) -> Int? {
  var digits: [Int] = []
  var hours: Int?
  for scalar in text.prefix(6) {
    if (0x30...0x39).contains(scalar.value) {
      digits.append(Int(scalar.value) - 0x30)
    } else if scalar == ":", hours == nil, (1...2).contains(digits.count) {
      hours = digits.reduce(0) { $0 * 10 + $1 }
      digits = []
    } else {
      break
    }
    if digits.count > 2 { return nil }
  }
  guard let hours, hours < 24, digits.count == 2, digits[0] < 6 else { return nil }
  return hours * 60 + digits[0] * 10 + digits[1]
}
