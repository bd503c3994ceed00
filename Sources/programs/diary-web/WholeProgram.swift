import Dispatch
import diary
import diary_weather
import diary_web

/// All of Diary's programs in one, for Swift's libraries are most of each.
@main
struct CombinedProgram {
  static func main() {
    switch CommandArguments.programName {
    case "diary-weather": run { await DiaryWeather.main { try CommandArguments.arguments() } }
    case "diary-web": run { await DiaryWeb.main { try CommandArguments.arguments() } }
    default: Diary.main()
    }
  }

  private static func run(_ program: @escaping @Sendable () async -> Never) -> Never {
    Task { await program() }
    dispatchMain()
  }
}
