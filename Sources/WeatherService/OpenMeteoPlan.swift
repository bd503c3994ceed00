import DiaryCore

/// The requests needed for a set of moments: one for now, and one for each range of dates.
struct OpenMeteoPlan {
  /// The endpoint for values of the past.
  enum Endpoint: Hashable {
    case forecast
    case archive

    var defaultBaseURL: String {
      switch self {
      case .forecast: "https://api.open-meteo.com"
      case .archive: "https://archive-api.open-meteo.com"
      }
    }

    var path: String {
      switch self {
      case .forecast: "/v1/forecast"
      case .archive: "/v1/archive"
      }
    }
  }

  /// The relation of a moment to now.
  enum TimeRange: Equatable {
    case now
    case past(Endpoint, Day)
    /// In the future (a forecast is not an observation), or before the start of the records.
    case unknown
  }

  private let now: Int
  private let recent: ClosedRange<Day>?
  private let archive: ClosedRange<Day>?
  private(set) var needsCurrent = false
  private(set) var ranges: [(Endpoint, ClosedRange<Day>)] = []

  /// The forecast endpoint has the last 92 days, the archive older ones since 1940.
  init(moments: [Int], now: Int) {
    self.now = now
    if let today = Day(moment: now), let first = Day(year: 1940, month: 1, day: 1) {
      recent = today.adding(-92)...today
      archive = first < today.adding(-92) ? first...today.adding(-93) : nil
    } else {
      (recent, archive) = (nil, nil)
    }
    var days: [Endpoint: Set<Day>] = [:]
    for moment in moments {
      switch timeRange(of: moment) {
      case .now: needsCurrent = true
      case .past(let endpoint, let day): days[endpoint, default: []].insert(day)
      case .unknown: break
      }
    }
    // Newest first: if a provider stops answering half-way, the recent past is available.
    for case let (endpoint, bounds?) in [(Endpoint.forecast, recent), (.archive, archive)] {
      ranges += dateRanges(covering: days[endpoint] ?? [], within: bounds).map { (endpoint, $0) }
    }
  }

  /// The time range of a moment. Within an hour of now the current value applies, otherwise the
  /// value of the nearest full hour.
  func timeRange(of moment: Int) -> TimeRange {
    guard supportedMoments.contains(moment), supportedMoments.contains(now) else { return .unknown }
    if abs(moment - now) <= 3600 { return .now }
    guard moment < now, let day = Day(moment: nearestHour(moment)) else { return .unknown }
    if let recent, recent.contains(day) { return .past(.forecast, day) }
    if let archive, archive.contains(day) { return .past(.archive, day) }
    return .unknown
  }
}
