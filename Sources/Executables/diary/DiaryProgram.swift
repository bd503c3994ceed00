import diary

@main
struct DiaryProgram {
  static func main() { Diary.main() }
}
