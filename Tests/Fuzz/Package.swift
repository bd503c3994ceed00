// swift-tools-version: 6.2
import PackageDescription

// A separate package, because libFuzzer needs every module built with its counters, and its own
// `main`. The folders in `Sources` are links to the fuzzed modules.

let fuzzed: [SwiftSetting] = [
  .swiftLanguageMode(.v6), .unsafeFlags(["-sanitize=fuzzer", "-enable-testing"]),
]

let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
  name: "fuzz",
  dependencies: [
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CMark", pkgConfig: "libcmark-gfm",
      providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"])]),
    .target(name: "CLinux"),
    .target(name: "CCurl"),
    .target(name: "CHTML", cSettings: [.unsafeFlags(["-I/usr/include/libxml2"])]),
    .systemLibrary(name: "CFuzzer"),
    .target(name: "CTexts"),
    .target(
      name: "Localization", dependencies: ["CTexts"], exclude: ["Translations"],
      swiftSettings: fuzzed),
    .target(
      name: "DiaryCore",
      dependencies: ["Localization", "CMark", .product(name: "Yams", package: "Yams")],
      swiftSettings: fuzzed),
    .target(
      name: "EntryFiles", dependencies: ["DiaryCore", "Localization", "CLinux"],
      swiftSettings: fuzzed),
    .target(
      name: "EntryFormats",
      dependencies: [
        "DiaryCore", "Localization", "CMark", "CHTML", .product(name: "Yams", package: "Yams"),
      ],
      swiftSettings: fuzzed),
    .target(
      name: "WeatherService", dependencies: ["DiaryCore", "Localization", "CCurl"],
      swiftSettings: fuzzed),
    .target(
      name: "SealedRemote", dependencies: ["Localization", "CLinux"], swiftSettings: fuzzed),
    // The code that parses requests of the web page's server, without the server.
    .target(
      name: "WebPage", dependencies: ["DiaryCore", httpTypes],
      sources: [
        "Access/AccessGuard.swift", "Access/ConstantTime.swift", "Access/SessionCookie.swift",
        "API/SubmittedText.swift", "Files/ByteRange.swift", "Server/URLPath.swift",
      ],
      swiftSettings: fuzzed),
    .target(
      name: "HostileInput",
      dependencies: [
        "DiaryCore", "EntryFiles", "EntryFormats", "SealedRemote", "WeatherService", "WebPage",
        "Localization", httpTypes,
      ],
      swiftSettings: fuzzed),
    .executableTarget(
      name: "fuzz", dependencies: ["HostileInput", "CFuzzer"], swiftSettings: fuzzed,
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
  ]
)
