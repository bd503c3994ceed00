import Testing

@testable import Localization

@Suite struct UserLanguageTests {
  @Test(arguments: [
    ("ko-KR,ko;q=0.9,en;q=0.8", "ko-KR", "ko"), ("en-GB,ko", "en-GB", "en"),
    ("de-DE, ko;q=0.5, en;q=0.1", "de-DE", "ko"), ("fr;q=0.2,ko-KR;q=0.7", "ko-KR", "ko"),
    ("ko;q=0,en", "en", "en"), ("", "en", "en"), ("*", "en", "en"), ("zh-TW", "zh-TW", "en"),
    ("../etc/passwd,ko", "ko", "ko"), ("KO", "KO", "ko"),
  ])
  func `selects the browser's preferred language that is available`(
    _ header: String, _ locale: String, _ texts: String
  ) {
    let language = UserLanguage(accepting: header)
    #expect(language.locale == locale && language.textLanguage == texts)
  }

  @Test func `each task uses the language of its own user`() async {
    func words(_ header: String) async -> String {
      await UserLanguage(accepting: header).perform {
        await Task.yield()
        return localized("the system refused it")
      }
    }
    async let korean = words("ko")
    async let english = words("en")
    #expect(await korean == "시스템이 거부했습니다")
    #expect(await english == "the system refused it")
    #expect(UserLanguage(accepting: "ko").perform { counted(3, "entry", "entries") } == "일기 3편")
    #expect(localized("the system refused it") == "the system refused it")
  }
}
