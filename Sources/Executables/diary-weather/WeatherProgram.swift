import diary_weather

@main
struct WeatherProgram {
  static func main() async { await DiaryWeather.main { Array(CommandLine.arguments.dropFirst()) } }
}
