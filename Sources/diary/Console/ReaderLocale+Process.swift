import DiaryKit

extension ReaderLocale {
  /// The locale of whoever started this process.
  init() { self.init(Console.environment) }
}
