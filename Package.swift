// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: Swift 6, warnings are errors, imports say what they use.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// A module of the house (docs/architecture.md says who may import whom).
func room(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
  resources: [Resource] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources,
    swiftSettings: strict)
}

/// The tests of a module, in `Tests/<name>Tests`.
func tests(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: dependencies + ["TestSupport"], exclude: exclude,
    swiftSettings: strict)
}

let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

let package = Package(
  name: "diary",
  products: [
    .executable(name: "diary", targets: ["diary"]),
    .executable(name: "diary-weather", targets: ["diary-weather"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
  ],
  targets: [
    .systemLibrary(
      name: "CLibgit2", pkgConfig: "libgit2", providers: [.apt(["libgit2-dev"])]),
    .systemLibrary(
      name: "CMark", pkgConfig: "libcmark-gfm",
      providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"])]),
    .target(name: "CLinux"),
    room(
      "Localization", [], exclude: ["Translations/diary.pot"],
      resources: [.embedInCode("Translations/ko.po")]),
    room("DiaryCore", ["Localization", yams, "CMark"]),
    room("GitHistory", ["DiaryCore", "Localization", "CLibgit2", "CLinux"]),
    room("EntryFiles", ["DiaryCore", "Localization", "CLinux"]),
    room(
      "EntryIndex",
      [
        "DiaryCore", "Localization", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    room("FolderWatch", ["DiaryCore", "Localization", "CLinux"]),
    room("EntryFormats", ["DiaryCore", "Localization", "CMark"]),
    room("WeatherService", ["DiaryCore", "Localization"]),
    room(
      "DiaryKit",
      [
        "DiaryCore", "GitHistory", "EntryFiles", "EntryIndex", "FolderWatch", "EntryFormats",
        "Localization", subprocess, systemPackage,
      ],
      resources: [.embedInCode("Templates")]),
    .executableTarget(
      name: "diary",
      dependencies: [
        "DiaryKit", "DiaryCore", "Localization", argumentParser,
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "diary-weather", dependencies: ["WeatherService", "DiaryCore", "Localization"],
      swiftSettings: strict),

    // Test support: the real world in small.
    .target(
      name: "TestSupport", dependencies: [subprocess, systemPackage], path: "Tests/TestSupport",
      swiftSettings: strict),
    .executableTarget(name: "FaultTracer", path: "Tests/FaultTracer"),
    .target(
      name: "WeatherStandIn",
      dependencies: [
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      path: "Tests/WeatherStandIn", swiftSettings: strict),
    .target(
      name: "GitServers",
      dependencies: [
        "TestSupport", subprocess, systemPackage,
        .product(name: "FlyingFox", package: "FlyingFox"),
        .product(name: "FlyingSocks", package: "FlyingFox"),
      ],
      path: "Tests/GitServers", swiftSettings: strict),

    // What holds for any input: asked of the corpus here, and of the fuzzer's in `Tests/Fuzz`.
    .target(
      name: "HostileInput",
      dependencies: ["DiaryCore", "EntryFiles", "EntryFormats", "WeatherService"],
      path: "Tests/HostileInput", swiftSettings: strict),

    tests(
      "DiaryCore", ["DiaryCore", "HostileInput", yams, subprocess, systemPackage],
      exclude: ["Merge/merge-cases.md"]),
    tests("GitHistory", ["GitHistory", "DiaryCore", subprocess]),
    tests("EntryFiles", ["EntryFiles", "DiaryCore", "CLinux", subprocess]),
    tests("EntryIndex", ["EntryIndex", "DiaryCore", subprocess]),
    tests("FolderWatch", ["FolderWatch", "DiaryCore"]),
    tests("EntryFormats", ["EntryFormats", "DiaryCore"]),
    tests(
      "WeatherService",
      [
        "WeatherService", "DiaryCore", "WeatherStandIn", "diary-weather", subprocess, systemPackage,
      ]),
    tests(
      "DiaryKit",
      ["DiaryKit", "DiaryCore", "EntryFiles", "EntryIndex", "GitHistory", "FolderWatch"]),
    tests("diary", ["diary", "DiaryKit", argumentParser]),
    tests("Localization", ["Localization"]),
    tests("Corpus", ["HostileInput", "DiaryCore"]),
    tests("Tidy"),
    // The built programs, killed and refused at every effect.
    tests("Fault", ["FaultTracer", "diary"]),
    // Whole sessions with the built programs, run one after the other.
    tests(
      "Session",
      ["WeatherStandIn", "GitServers", "DiaryCore", "diary", "diary-weather"]),
  ]
)
