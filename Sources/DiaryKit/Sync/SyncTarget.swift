import DiaryCore
import Foundation
import GitHistory

/// Where the present branch is exchanged.
struct SyncTarget: Sendable {
  var name: RemoteName
  /// The branch here, its short name.
  var branch: String
  /// The reference there: `refs/heads/main`.
  var reference: String
  /// The reference that remembers it here: `refs/remotes/origin/main`.
  var tracking: String
}

extension Journal {
  /// Whether the local git configuration has a remote to sync with.
  var hasRemote: Bool {
    get async { ((try? await chosenRemote()) ?? nil) != nil }
  }

  /// The settings' remote where git has it, else the branch's own, else the only one.
  func chosenRemote() async throws -> Remote? {
    let remotes = try await repository.remotes()
    if let named = remotes.first(where: { $0.name == settings.syncRemote }) { return named }
    if case .branch(let branch, _) = try await repository.head(),
      let upstream = try await repository.upstream(of: branch),
      let own = remotes.first(where: { $0.name == upstream.remote })
    {
      return own
    }
    return remotes.count == 1 ? remotes.first : nil
  }

  func syncTarget() async throws -> SyncTarget {
    let branch: String
    switch try await repository.head() {
    case .branch(let name, _), .unborn(let name): branch = name
    case .detached:
      throw DiaryError(
        "cannot sync: HEAD is on no branch",
        hint: "go back to the journal's branch, such as `git switch main`; every save is kept")
    }
    guard let remote = try await chosenRemote() else {
      throw DiaryError(
        "there is no remote to sync with",
        hint: "make an empty repository somewhere, then "
          + "`git remote add \(settings.syncRemote) URL`; any address that git takes will do")
    }
    let upstream = try await repository.upstream(of: branch)
    let reference =
      upstream?.remote == remote.name ? upstream?.branch : nil
    let there = reference ?? "refs/heads/\(branch)"
    return SyncTarget(
      name: RemoteName(name: remote.name, url: remote.url ?? ""), branch: branch, reference: there,
      tracking: try await repository.trackingReference(of: there, at: remote.name)
        ?? "refs/remotes/\(remote.name)/\(there.dropFirst("refs/heads/".count))")
  }
}

extension Journal {
  /// In a repository that Diary did not make, a push by itself needs a word of the writer's.
  func refuseUnaskedSync() throws {
    guard !isOwn, !settings.syncsAdopted else { return }
    throw DiaryError(
      "\(root) lies in a repository that Diary did not make, so it is not pushed unasked",
      hint: "`sync: {adopted: true}` in \(surroundings.personalSettings) allows it; `diary sync` "
        + "pushes when you say so")
  }
}
