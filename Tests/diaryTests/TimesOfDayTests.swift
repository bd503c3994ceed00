import DiaryKit
import Testing

@testable import diary

/// Times of day, composed from the texts of their hours.
@Suite struct TimesOfDayTests {
  @Test(arguments: ["en_US", "ko_KR", "de_DE", "fr_CA", "ar_EG", "fa_IR", "C"])
  func `every minute is formatted as in the locale`(_ language: String) {
    let locale = UserLocale(named: language)
    var times = TimesOfDay(locale)
    for minute in 0..<1440 {
      #expect(times.text(ofMinute: minute) == locale.timeText(ofMinute: minute), "\(minute)")
    }
  }
}
