// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it needs nothing of Diary's but the built program.
let package = Package(
  name: "bench",
  targets: [
    .executableTarget(
      name: "bench",
      swiftSettings: [
        .swiftLanguageMode(.v6), .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ])
  ]
)
