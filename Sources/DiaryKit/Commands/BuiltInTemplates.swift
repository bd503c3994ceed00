import Foundation

/// Diary's built-in templates, embedded from `templates/`. A test checks that this table has the
/// same names as that folder.
let builtInTemplates: [String: String] = [
  "plain": text(PackageResources.plain_md),
  "morning-pages": text(PackageResources.morning_pages_md),
  "gratitude": text(PackageResources.gratitude_md),
  "travel": text(PackageResources.travel_md),
  "weekly-review": text(PackageResources.weekly_review_md),
]

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
