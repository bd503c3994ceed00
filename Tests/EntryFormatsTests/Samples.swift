import DiaryCore
import EntryFormats
import Testing

/// An entry with the given body, for the tests of exports.
func sample(
  _ body: String, title: String = "Title", date: String? = "21 November 2026", place: String? = nil,
  weather: String? = nil, isNight: Bool = false, tags: [String] = []
) throws -> ExportEntry {
  let path = try #require(EntryPath("2026/11/2026-11-21-title.md"))
  let day = try #require(Day(year: 2026, month: 11, day: 21))
  let listed = EntrySummary(
    number: 1, path: path, title: title,
    date: EntryDate(date: day, seconds: 75_840, offset: 32_400), day: day,
    weather: weather.flatMap { Weather(reading: $0) }, tags: tags, place: place, words: 1,
    preview: "…")
  return ExportEntry(listed, dateText: date, weatherText: weather, isNight: isNight, body: body)
}

/// The HTML page of one body. `pictures` contains the files by name.
func page(_ body: String, pictures: [String: [UInt8]] = [:], title: String = "Title") throws
  -> String
{
  htmlPage(of: [try sample(body, title: title)], language: "en") { _, name in
    pictures[name].map { EmbeddedPicture($0) }
  }
}

/// The HTML of the page below the entry's header.
func article(_ body: String, pictures: [String: [UInt8]] = [:]) throws -> String {
  let whole = try page(body, pictures: pictures)
  let start = try #require(whole.firstRange(of: "</header>\n")).upperBound
  let end = try #require(whole.firstRange(of: "</article>", after: start)).lowerBound
  return String(whole[start..<end])
}

/// How many times longer `work` takes for eight times as much input: about 8 times if it takes
/// linear time, about 64 times if it takes quadratic time.
func growth<Input>(
  from size: Int, of input: (Int) -> Input, _ work: (Input) throws -> Void
) throws -> Double {
  func fastest(_ input: Input) throws -> Double {
    var best = Double.infinity
    for _ in 0..<3 {
      let took = try ContinuousClock().measure { try work(input) }
      best = min(best, took / Duration.seconds(1))
    }
    return best
  }
  return try fastest(input(8 * size)) / fastest(input(size))
}

extension String {
  func firstRange(of words: String, after start: Index) -> Range<Index>? {
    self[start...].firstRange(of: words)
  }
}

/// All tags of a page with their attributes.
func tags(of html: String) -> [String] {
  html.split(separator: "<", omittingEmptySubsequences: false).dropFirst().map { part in
    String(part.prefix { $0 != ">" })
  }
}

/// The first bytes of a PNG.
let tinyPicture: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]
