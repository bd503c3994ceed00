import Testing

@testable import diary

/// Answers to questions.
@Suite struct ConfirmationTests {
  @Test(arguments: ["y", "yes", "예", "네", "응"])
  func `a yes in a language of Diary is a yes`(_ answer: String) {
    #expect(Console.isYes(answer))
  }

  @Test(arguments: ["n", "s", "si", "o", "oui", "j", "ja", "はい", "yy", "아니요"])
  func `any other answer is a no`(_ answer: String) {
    #expect(!Console.isYes(answer))
  }
}
