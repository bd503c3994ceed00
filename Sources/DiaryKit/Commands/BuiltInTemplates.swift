import Foundation
import Localization

/// Diary's built-in templates, embedded from `templates/`. Each can be used in every language.
let builtInTemplates: [String: String] = [
  "plain": text(PackageResources.plain_md),
  "morning-pages": text(PackageResources.morning_pages_md),
  "gratitude": text(PackageResources.gratitude_md),
  "travel": text(PackageResources.travel_md),
  "weekly-review": text(PackageResources.weekly_review_md),
  "아침-글": text(PackageResources.morning_pages_ko_md),
  "감사-일기": text(PackageResources.gratitude_ko_md),
  "여행": text(PackageResources.travel_ko_md),
  "한-주-돌아보기": text(PackageResources.weekly_review_ko_md),
]

/// The built-in templates in the user's language, which are offered by name.
var offeredTemplates: [String: String] {
  let names = [
    "plain", localized("morning-pages"), localized("gratitude"), localized("travel"),
    localized("weekly-review"),
  ]
  return builtInTemplates.filter { names.contains($0.key) }
}

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
