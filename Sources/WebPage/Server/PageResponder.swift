import DiaryCore
import DiaryKit
import Foundation
import HTTPTypes
import HummingbirdCore
import Localization
import NIOCore

extension PageServer {
  /// What a request is answered, in the language of the browser.
  func response(to request: Request, on channel: any Channel) async -> Response {
    let wanted = request.headers[.acceptLanguage] ?? ""
    return await ReaderLanguage(accepting: wanted).speak { await answer(to: request, on: channel) }
  }

  /// The guard's refusal, or what its route says. All security fields are set here, for every answer.
  private func answer(to request: Request, on channel: any Channel) async -> Response {
    let access = AccessGuard(port: port, isReadOnly: options.isReadOnly)
    let verdict = access.verdict(on: request.head) { sessions.hasSession(in: $0, port: port) }
    var response: Response
    switch verdict {
    case .pass(let isSignedIn):
      if isSignedIn { connections.trust(channel) }
      response = await routed(request)
    case .redirect:
      let target = request.head.path ?? "/"
      response = Response(status: .permanentRedirect, headers: [.location: origin + target])
    case .signedOut: response = failed(.signedOut, request)
    case .readOnly: response = failed(.readOnly, request)
    case .refuse(let status): response = Response(status: status)
    }
    PageHeaders.set(on: &response)
    if case .pass = verdict, response.status != .contentTooLarge {
      return request.method == .head ? response.createHeadResponse() : response
    }
    // A body may still come that nobody is going to read.
    if verdict != .redirect { response.headers[.connection] = "close" }
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func routed(_ request: Request) async -> Response {
    let path = request.uri.path
    let fitting = Route.table.filter { $0.rest(of: path) != nil }
    guard !fitting.isEmpty else { return failed(.notFound, request) }
    let method = request.method == .head ? .get : request.method
    guard let route = fitting.first(where: { $0.method == method }),
      let rest = route.rest(of: path)
    else {
      let methods = fitting.map(\.method.rawValue).joined(separator: ", ")
      return Response(status: .methodNotAllowed, headers: [.allow: methods])
    }
    do {
      return try await route.answer(PageContext(server: self, request: request, rest: rest))
    } catch {
      return failed(failure(of: error), request)
    }
  }

  /// An error as the page is told.
  func failure(of error: any Error) -> PageFailure {
    if let failure = error as? PageFailure { return failure }
    if error is NIOTooManyBytesError { return .tooLarge }
    let error = DiaryError(error)
    var failure = PageFailure(
      status: .internalServerError, kind: .failed, what: error.what, hint: error.hint)
    switch error.kind {
    case .nothingFound: (failure.status, failure.kind) = (.notFound, .gone)
    case .usage: (failure.status, failure.kind) = (.badRequest, .usage)
    case .failed:
      let isAway = access(journal.root, F_OK) != 0
      let isFull = [journal.root, journal.stateFolder].contains {
        var space = statvfs()
        return statvfs($0, &space) == 0 && space.f_bavail == 0
      }
      if isAway || isFull { failure.status = .serviceUnavailable }
    }
    return failure
  }

  /// JSON for the script, a document for a person.
  private func failed(_ failure: PageFailure, _ request: Request) -> Response {
    request.uri.path.hasPrefix("/api/") || request.method == .post
      ? .failure(failure) : message(failure, request)
  }

  /// A failure as a person reads it.
  private func message(_ failure: PageFailure, _ request: Request) -> Response {
    let language = ReaderLanguage(accepting: request.headers[.acceptLanguage] ?? "")
    let document = MessageDocument(
      what: failure.what, hint: failure.hint, hasList: failure.status != .unauthorized)
    return .document(
      document.html(for: language, assets), status: failure.status)
  }
}
