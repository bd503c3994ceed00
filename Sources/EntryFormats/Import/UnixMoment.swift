/// A time since 1970 from the digits of a JSON number, exact to the millisecond. A `Double` of
/// `1700000000.001` would be slightly smaller.
struct UnixMoment: Equatable {
  /// Seconds since 1970, rounded down.
  let seconds: Int
  /// Milliseconds from 0 to 999.
  let milliseconds: Int

  /// Parses seconds, or milliseconds from 100 000 000 000 on, which would be the year 5138 in
  /// seconds. `nil` for years before -9999 or after 9999.
  init?(_ number: String) {
    let isNegative = number.first == "-"
    let parts = number.drop { $0 == "-" }.split(separator: "e", omittingEmptySubsequences: false)
      .flatMap { $0.split(separator: "E", omittingEmptySubsequences: false) }
    guard let mantissa = parts.first, let exponent = parts.count > 1 ? Int(parts[1]) : 0 else {
      return nil
    }
    let halves = mantissa.split(separator: ".", omittingEmptySubsequences: false)
    let fraction = halves.count > 1 ? halves[1] : ""
    let digits = (halves[0] + fraction).compactMap(\.wholeNumberValue)
    guard let all = Self.thousandfold(digits, point: halves[0].count, exponent: exponent) else {
      return nil
    }
    let isMilliseconds = all >= 100_000_000_000_000
    // The number times 1000: thousandths of a second, or of a millisecond.
    let thousandths = isNegative ? -all : all
    let total = isMilliseconds ? Self.floorDivision(thousandths, by: 1000).whole : thousandths
    let (seconds, milliseconds) = Self.floorDivision(total, by: 1000)
    guard (-377_705_116_800...253_402_300_799).contains(seconds) else { return nil }
    (self.seconds, self.milliseconds) = (seconds, milliseconds)
  }

  /// Returns 1000 times the number whose decimal point is after `point` digits, moved by an
  /// exponent. Smaller digits are cut off.
  private static func thousandfold(_ digits: [Int], point: Int, exponent: Int) -> Int? {
    guard abs(exponent) <= 400 else { return nil }
    var value = 0
    for index in 0..<max(0, point + exponent + 3) {
      guard value < 1_000_000_000_000_000_000 / 10 else { return nil }
      value = value * 10 + (index < digits.count ? digits[index] : 0)
    }
    return value
  }

  private static func floorDivision(_ value: Int, by divisor: Int) -> (whole: Int, rest: Int) {
    let remainder = ((value % divisor) + divisor) % divisor
    return ((value - remainder) / divisor, remainder)
  }
}
