import DiaryCore
import EntryFiles
import TestSupport
import Testing

@testable import DiaryKit

@Suite struct FolderDetectionTests {
  private static let drawing = "---\nexcalidraw-plugin: parsed\n---\n⚠ Switch to EXCALIDRAW VIEW\n"

  @Test func `a pattern for drawings excludes no entry below their folder`() async throws {
    let home = try Sandbox()
    for name in ["Notes/drawing", "Boats/one", "Boats/More/two", "Sea/Deep/three"] {
      try home.write(Self.drawing, to: "j/\(name).md")
    }
    for name in ["root", "Notes/2026/01/2026-01-01", "Sea/words"] {
      try home.write("Words.\n", to: "j/\(name).md")
    }
    var survey = InitSurvey(root: home.homePath + "/j", isAdopted: true, isJournal: false)
    let folder = try JournalFolder(root: survey.root)
    try await FolderDetection.count(folder, ignored: nil, into: &survey)
    #expect(
      survey.exclude == ["/Notes/drawing.md", "Boats/**", "Boats/More/**", "Sea/Deep/**"])
    #expect(survey.folders.map(\.folder) == [nil, "Notes/2026/01", "Sea"])
  }
}
