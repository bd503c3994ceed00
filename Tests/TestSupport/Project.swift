import Foundation

/// The project that the tests belong to.
public enum Project {
  /// The folder that contains `Package.swift`.
  public static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
