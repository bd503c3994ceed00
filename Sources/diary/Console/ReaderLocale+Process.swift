import DiaryKit

extension UserLocale {
  /// The locale of whoever started this process.
  init() { self.init(Console.environment) }
}
