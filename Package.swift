// swift-tools-version: 6.2
import PackageDescription

/// Settings of every target: Swift 6, warnings are errors, imports say what they use.
///
/// In a release build, LLVM may sink two stores into one whose address a phi chooses. If one of
/// them is to the variable of a thrown error, the compiler (Swift 6.3.1) crashes when it splits the
/// coroutine.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .unsafeFlags(["-Xllvm", "-simplifycfg-sink-common=false"], .when(configuration: .release)),
]

/// A module (docs/architecture.md says who may import whom).
func module(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
  resources: [Resource] = []
) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources,
    swiftSettings: strict)
}

/// A program: it starts what the modules hold. `diary-web` is all of Diary's programs in one, and does
/// what the name says that it is called by; it is what gets installed. The others are built sooner.
func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .executableTarget(
    name: name + "-program", dependencies: dependencies, path: "Sources/Executables/" + name,
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
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let http: [Target.Dependency] = [
  .product(name: "HummingbirdCore", package: "hummingbird"),
  .product(name: "HTTPTypes", package: "swift-http-types"),
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
  .product(name: "NIOHTTP1", package: "swift-nio"),
  .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
  .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
  .product(name: "Logging", package: "swift-log"),
  .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
]
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")

/// What `make install` says about the build; a file of C alone is compiled anew when it changes.
let build: [CSetting] = ["DIARY_COMMIT", "DIARY_SWIFT"].compactMap { name in
  Context.environment[name].map { .define(name, to: "\"\($0)\"") }
}

let package = Package(
  name: "diary",
  products: [
    .executable(name: "diary", targets: ["diary-program"]),
    .executable(name: "diary-weather", targets: ["diary-weather-program"]),
    .executable(name: "diary-web", targets: ["diary-web-program"]),
    .executable(name: "git-remote-diary", targets: ["git-remote-diary-program"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CLibgit2", pkgConfig: "libgit2", providers: [.apt(["libgit2-dev"])]),
    .systemLibrary(
      name: "CMark", pkgConfig: "libcmark-gfm",
      providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"])]),
    .systemLibrary(name: "CZip", pkgConfig: "libzip", providers: [.apt(["libzip-dev"])]),
    .target(name: "CLinux"),
    .target(name: "CCurl"),
    .target(name: "CBuild", cSettings: build),
    .target(name: "CHTML", cSettings: [.unsafeFlags(["-I/usr/include/libxml2"])]),
    .target(name: "CTexts"),
    module("Localization", ["CTexts"], exclude: ["Translations"]),
    module("DiaryCore", ["Localization", yams, "CMark"]),
    module("GitHistory", ["DiaryCore", "Localization", "CLibgit2", "CLinux", crypto]),
    module("EntryFiles", ["DiaryCore", "Localization", "CLinux"]),
    module(
      "EntryIndex",
      [
        "DiaryCore", "Localization", .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    module("FolderWatch", ["DiaryCore", "Localization", "CLinux"]),
    module("EntryFormats", ["DiaryCore", "Localization", "CMark", "CHTML", yams]),
    module("ZipFiles", ["Localization", "CZip"]),
    module("WeatherService", ["DiaryCore", "Localization", "CCurl"]),
    module("SealedRemote", ["Localization", "CLinux"]),
    module(
      "DiaryKit",
      [
        "DiaryCore", "GitHistory", "EntryFiles", "EntryIndex", "FolderWatch", "EntryFormats",
        "SealedRemote", "ZipFiles", "Localization", subprocess, systemPackage, crypto,
      ],
      resources: [.embedInCode("Templates"), .embedInCode("Demo")]),
    module("diary", ["DiaryKit", "DiaryCore", "Localization", "CBuild", argumentParser]),
    module("diary-weather", ["WeatherService", "Localization"]),
    module(
      "WebPage",
      ["DiaryKit", "DiaryCore", "EntryFormats", "Localization", "CLinux", crypto] + http,
      resources: [.embedInCode("Page")]),
    module("diary-web", ["WebPage", "DiaryKit", "Localization", argumentParser]),
    module("git-remote-diary", ["SealedRemote", "Localization"]),
    program("diary", ["diary"]),
    program("diary-weather", ["diary-weather"]),
    program("diary-web", ["diary", "diary-weather", "diary-web", "git-remote-diary"]),
    program("git-remote-diary", ["git-remote-diary"]),

    // Test support: the real world in small.
    .target(
      name: "TestSupport", dependencies: [subprocess, systemPackage], path: "Tests/TestSupport",
      swiftSettings: strict),
    .executableTarget(name: "FaultTracer", path: "Tests/FaultTracer"),
    .executableTarget(
      name: "PageWriter", dependencies: ["DiaryKit", "DiaryCore"], path: "Tests/PageWriter",
      swiftSettings: strict),
    .target(
      name: "LoopbackServer", dependencies: http, path: "Tests/LoopbackServer",
      swiftSettings: strict),
    .target(
      name: "WeatherStandIn", dependencies: ["LoopbackServer"] + http,
      path: "Tests/WeatherStandIn", swiftSettings: strict),
    .target(
      name: "GitServers",
      dependencies: ["LoopbackServer", "TestSupport", subprocess, systemPackage] + http,
      path: "Tests/GitServers", swiftSettings: strict),

    .target(
      name: "WebDriver", dependencies: ["TestSupport"],
      path: "Tests/WebDriver", swiftSettings: strict),

    // What holds for any input: asked of the corpus here, and of the fuzzer's in `Tests/Fuzz`.
    .target(
      name: "HostileInput",
      dependencies: [
        "DiaryCore", "EntryFiles", "EntryFormats", "SealedRemote", "WeatherService", "WebPage",
        "Localization", .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      path: "Tests/HostileInput", swiftSettings: strict),

    tests(
      "DiaryCore", ["DiaryCore", "HostileInput", "CMark", yams, subprocess, systemPackage],
      exclude: ["Merge/merge-cases.md"]),
    tests("GitHistory", ["GitHistory", "DiaryCore", subprocess, crypto]),
    tests("EntryFiles", ["EntryFiles", "DiaryCore", "CLinux", subprocess]),
    tests("EntryIndex", ["EntryIndex", "DiaryCore", subprocess]),
    tests("FolderWatch", ["FolderWatch", "DiaryCore"]),
    tests("EntryFormats", ["EntryFormats", "DiaryCore", crypto]),
    tests("ZipFiles", ["ZipFiles"]),
    tests("SealedRemote", ["SealedRemote", "git-remote-diary-program"]),
    tests(
      "WeatherService",
      [
        "WeatherService", "DiaryCore", "WeatherStandIn", "diary-weather-program", subprocess,
        systemPackage,
      ]),
    tests(
      "DiaryKit",
      [
        "DiaryKit", "DiaryCore", "EntryFiles", "EntryIndex", "GitHistory", "FolderWatch",
        "ZipFiles",
      ]),
    tests("diary", ["diary", "DiaryKit", argumentParser]),
    tests(
      "WebPage",
      [
        "WebPage", "DiaryKit", "DiaryCore", "HostileInput", "diary-program", "diary-web-program",
        subprocess, crypto,
      ]
        + http),
    // The page in real browsers, driven over WebDriver.
    tests(
      "Page",
      [
        "WebDriver", "DiaryKit", "DiaryCore", "diary-program", "diary-web-program", subprocess,
      ]),
    tests("Localization", ["Localization"]),
    tests("Corpus", ["HostileInput", "DiaryCore"]),
    tests("Tidy"),
    // The built programs, killed and refused at every effect.
    tests("Fault", ["FaultTracer", "PageWriter", "diary-program", "git-remote-diary-program"]),
    // Whole sessions with the built programs, run one after the other.
    tests(
      "Session",
      [
        "WeatherStandIn", "GitServers", "DiaryCore", "diary", "diary-program",
        "diary-weather-program", "diary-web-program", "git-remote-diary-program",
      ]),
  ]
)
