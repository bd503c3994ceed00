import Dispatch
import diary
import diary_weather
import diary_web
import git_remote_diary

/// All programs of Diary in one executable, because most of each is Swift's libraries.
@main
struct CombinedProgram {
  static func main() {
    switch CommandArguments.programName {
    case "diary-weather": run { await DiaryWeather.main { try CommandArguments.arguments() } }
    case "diary-web": DiaryWeb.main { try CommandArguments.arguments() }
    case "git-remote-diary": GitRemoteDiary.main { try CommandArguments.arguments() }
    default: Diary.main()
    }
  }

  private static func run(_ program: @escaping @Sendable () async -> Never) -> Never {
    Task { await program() }
    dispatchMain()
  }
}
