import DiaryKit
import HTTPTypes
import Localization

/// A failure of a request, for the page.
struct PageFailure: Error {
  /// The kind of failure, which decides the page's reaction.
  enum Kind: String {
    case failed, gone, held, readOnly, tooLarge, usage
  }

  var status: HTTPResponse.Status
  var kind: Kind
  var what: String
  var hint: String?

  static var notFound: PageFailure {
    PageFailure(
      status: .notFound, kind: .gone, what: localized("there is no such page"), hint: nil)
  }

  static var linked: PageFailure {
    PageFailure(
      status: .forbidden, kind: .failed, what: localized("another site linked to this page"),
      hint: localized("Diary shows nothing to other sites; go on from here if you want to"))
  }

  static var malformed: PageFailure {
    PageFailure(
      status: .badRequest, kind: .usage,
      what: localized("the page sent an invalid request"),
      hint: localized("reload the page"))
  }

  static var tooLarge: PageFailure {
    PageFailure(
      status: .contentTooLarge, kind: .tooLarge, what: localized("this is too large for the page"),
      hint: localized("put it into the journal's folder yourself"))
  }

  static var readOnly: PageFailure {
    PageFailure(
      status: .forbidden, kind: .readOnly, what: localized("the page is read-only"),
      hint: localized("start `diary web` without --read-only"))
  }

  static var signedOut: PageFailure {
    PageFailure(
      status: .unauthorized, kind: .failed, what: localized("this browser is not signed in"),
      hint: localized("run `diary web` in a terminal and open the link that it prints"))
  }
}
