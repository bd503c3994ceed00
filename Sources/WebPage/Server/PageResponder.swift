import DiaryCore
import DiaryKit
import Foundation
import HTTPTypes
import HummingbirdCore
import Localization
import NIOCore

extension PageServer {
  /// The response to a request, in the language of the browser.
  func response(to request: Request, on channel: any Channel) async -> Response {
    let wanted = request.headers[.acceptLanguage] ?? ""
    return await UserLanguage(accepting: wanted).perform {
      await guardedResponse(to: request, on: channel)
    }
  }

  /// The guard's refusal, or the route's response, with all security fields.
  private func guardedResponse(to request: Request, on channel: any Channel) async -> Response {
    let access = AccessGuard(port: port, isReadOnly: options.isReadOnly)
    let verdict = access.verdict(on: request.head) { sessions.hasSession(in: $0, port: port) }
    var response: Response
    switch verdict {
    case .pass(let isSignedIn):
      if isSignedIn { connections.trust(channel) }
      response = await routedResponse(request)
    case .redirect:
      let target = request.head.path ?? "/"
      response = Response(status: .permanentRedirect, headers: [.location: origin + target])
    case .signedOut: response = failureResponse(.signedOut, request)
    case .linked: response = messageDocument(.linked, request)
    case .readOnly: response = failureResponse(.readOnly, request)
    case .refuse(let status): response = Response(status: status)
    }
    PageHeaders.set(on: &response)
    if case .pass = verdict, response.status != .contentTooLarge {
      return request.method == .head ? response.createHeadResponse() : response
    }
    // The request body may still arrive and will not be read.
    if verdict != .redirect { response.headers[.connection] = "close" }
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func routedResponse(_ request: Request) async -> Response {
    let path = request.uri.path
    let matching = Route.table.filter { $0.wildcardMatch(in: path) != nil }
    guard !matching.isEmpty else { return failureResponse(.notFound, request) }
    let method = request.method == .head ? .get : request.method
    guard let route = matching.first(where: { $0.method == method }),
      let rest = route.wildcardMatch(in: path)
    else {
      let methods = matching.map(\.method.rawValue).joined(separator: ", ")
      return Response(status: .methodNotAllowed, headers: [.allow: methods])
    }
    do {
      return try await route.handler(PageContext(server: self, request: request, wildcard: rest))
    } catch {
      return failureResponse(failure(of: error), request)
    }
  }

  /// The failure to report to the page for an error.
  func failure(of error: any Error) -> PageFailure {
    if let failure = error as? PageFailure { return failure }
    if error is NIOTooManyBytesError { return .tooLarge }
    let error = DiaryError(error)
    var failure = PageFailure(
      status: .internalServerError, kind: .failed, what: error.message, hint: error.hint)
    switch error.kind {
    case .nothingFound: (failure.status, failure.kind) = (.notFound, .gone)
    case .usage: (failure.status, failure.kind) = (.badRequest, .usage)
    case .locked: failure.status = .serviceUnavailable
    case .failed:
      let isRootMissing = access(journal.root, F_OK) != 0
      let isFull = [journal.root, journal.stateFolder].contains {
        var space = statvfs()
        return statvfs($0, &space) == 0 && space.f_bavail == 0
      }
      if isRootMissing || isFull { failure.status = .serviceUnavailable }
    }
    return failure
  }

  /// JSON for the script, a document for the user.
  private func failureResponse(_ failure: PageFailure, _ request: Request) -> Response {
    request.uri.path.hasPrefix("/api/") || request.method == .post
      ? .failure(failure) : messageDocument(failure, request)
  }

  /// A failure as a document.
  private func messageDocument(_ failure: PageFailure, _ request: Request) -> Response {
    let language = UserLanguage(accepting: request.headers[.acceptLanguage] ?? "")
    let document = MessageDocument(
      what: failure.what, hint: failure.hint, hasList: failure.status != .unauthorized)
    return .document(
      document.html(for: language, assets), status: failure.status)
  }
}
