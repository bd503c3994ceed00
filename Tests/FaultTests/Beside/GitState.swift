import Foundation
import TestSupport

/// The state of git and the disk at a moment at which no process holds git's index lock.
struct GitState: Sendable {
  /// The commit of each branch, by its full ref name.
  var branches: [String: String] = [:]
  /// The branch that is checked out, or nil for a detached HEAD.
  var branch: String?
  /// The marker file of the git operation in progress.
  var operation: String?
  /// "mode blob stage" by path; all stages of a path in conflict.
  var index: [String: [String]] = [:]
  /// "mode blob stage" by path in HEAD's tree, where the stage is always 0.
  var tree: [String: [String]] = [:]
  /// The blob id that each entry on disk would have.
  var disk: [String: String] = [:]
  /// The user's own commits on any branch, by subject.
  var commits: [String: String] = [:]

  /// Whether Diary must not move any branch.
  var isBusy: Bool { operation != nil || branch == nil }

  /// Paths that the user has staged: the index differs from HEAD.
  var staged: Set<String> {
    Set(index.keys).union(tree.keys).filter { index[$0] != tree[$0] }
  }

  /// Reads the state as soon as no process holds git's index lock.
  static func read(_ home: Sandbox, in journal: String) async throws -> GitState {
    let result = try await home.run(home.homePath + "/bin/state", [], in: journal)
    guard result.status == 0 else {
      throw ProgramFailed(message: "no quiet moment: \(result.errors)")
    }
    var state = GitState()
    for line in result.output.split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      if words.count == 2 { state.add(words[0], words[1]) }
    }
    return state
  }

  private mutating func add(_ kind: String, _ text: String) {
    let tabbed = text.split(separator: "\t", maxSplits: 1).map(String.init)
    let words = text.split(separator: " ").map(String.init)
    switch kind {
    case "branch": branches[words[0]] = words[1]
    case "head": branch = text
    case "operation": operation = text
    case "index": index[tabbed[1], default: []].append(tabbed[0])
    case "tree":
      let parts = tabbed[0].split(separator: " ")
      tree[tabbed[1]] = ["\(parts[0]) \(parts[2]) 0"]
    case "disk": disk[words[1]] = words[0]
    case "commit": commits[words.dropFirst().joined(separator: " ")] = words[0]
    default: break
    }
  }

  /// Writes the script that reads the state to the sandbox's home.
  static func installScript(_ home: Sandbox) throws {
    _ = try home.script(
      "state",
      #"""
      lock=.git/index.lock
      for try in $(seq 300); do
        [ -e $lock ] && { sleep 0.02; continue; }
        before=$(git rev-parse HEAD)
        {
          git for-each-ref --format='branch %(refname) %(objectname)' refs/heads
          echo "head $(git symbolic-ref -q HEAD)"
          for sign in rebase-merge rebase-apply MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG; do
            [ -e .git/$sign ] && echo "operation $sign"
          done
          git ls-files -s | sed 's/^/index /'
          git ls-tree -r HEAD | sed 's/^/tree /'
          find . -name '*.md' -not -name INDEX.md -not -path './.*' | cut -c3- | sort > ../names
          git hash-object --stdin-paths < ../names | paste -d' ' - ../names | sed 's/^/disk /'
          git log --branches --format='commit %H %s' --grep='^writer'
        } > ../seen
        [ ! -e $lock ] && [ "$before" = "$(git rev-parse HEAD)" ] && exec cat ../seen
      done
      ls -l $lock >&2
      exit 1

      """#)
  }
}
