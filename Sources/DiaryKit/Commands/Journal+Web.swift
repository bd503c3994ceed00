import Foundation
import Glibc
import Localization

extension Journal {
  /// The program that serves the web page, `diary-web`.
  package func webProgram() throws(DiaryError) -> String {
    let (program, paths) = environment.diaryProgram("diary-web")
    if let program { return program }
    throw DiaryError(
      localized("the page's server is missing: neither \(paths[0]) nor \(paths[1]) exists"),
      hint: localized("install Diary with `make install`, which installs it"))
  }

  /// Opens an address in the desktop's browser, if there is one. Returns true on success.
  package func openInBrowser(_ address: String) async -> Bool {
    let hasDisplay = ["WAYLAND_DISPLAY", "DISPLAY"].contains {
      !(environment.variables[$0] ?? "").isEmpty
    }
    guard hasDisplay, programs.isOnPath("xdg-open") else { return false }
    return (try? await programs.sendInput([], to: ["xdg-open", address])) == 0
  }
}
