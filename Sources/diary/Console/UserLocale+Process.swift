import DiaryKit

extension UserLocale {
  /// Reads the locale from the environment of this process.
  init() { self.init(Console.environment) }
}
