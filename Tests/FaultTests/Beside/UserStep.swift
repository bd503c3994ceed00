import TestSupport

/// One action of the user: a shell command, run in the journal.
struct UserStep: Sendable {
  var command: String
  /// Whether the step replaces commits (rebase, amend).
  var isRewritingCommits = false
  /// The subject of the commit that the step makes from the index as it is.
  var committedSubject: String?
  /// The path and the text that the index contains after the step.
  var stagedText: (path: String, words: String)?

  init(_ command: String, isRewritingCommits: Bool = false) {
    (self.command, self.isRewritingCommits) = (command, isRewritingCommits)
  }
}

/// A user who randomly alternates between git and an editor.
struct RandomUser {
  var dice: SeededGenerator
  private var number = 0

  init(dice: SeededGenerator) { self.dice = dice }

  mutating func next(_ state: GitState) -> UserStep {
    number += 1
    let paths = state.disk.keys.sorted()
    let path = paths.isEmpty ? "2026/a.md" : paths[roll(paths.count)]
    if let operation = state.operation, roll(3) == 0 { return finish(operation) }
    if roll(2) == 0 { return edit(path) }
    if state.operation != nil { return UserStep("git add \(path)") }
    if state.branch == nil {
      return roll(2) == 0 ? UserStep("git switch -q \(otherBranch(state))") : stage(path)
    }
    switch roll(10) {
    case 0...2: return stage(path)
    case 3...5: return commit(path)
    case 6: return stash()
    case 7: return switchBranch(state)
    case 8: return combine(state)
    default: return maintain(state)
    }
  }

  private mutating func roll(_ sides: Int) -> Int { Int(dice.next() % UInt64(sides)) }

  private mutating func otherBranch(_ state: GitState) -> String {
    let names = state.branches.keys.filter { $0 != state.branch && $0 != "refs/heads/wt" }.sorted()
    return names.isEmpty
      ? "main" : String(names[roll(names.count)].dropFirst("refs/heads/".count))
  }

  /// Writes as editors do: in place, truncated first, or through a temporary file and a rename.
  private mutating func edit(_ path: String) -> UserStep {
    let change = "\(roll(12) + 1)s/.*/Words \(number)./"
    switch roll(12) {
    case 0: return UserStep("cp \(path) 2026/n\(roll(9)).md && echo New \(number). >> \(path)")
    case 1: return UserStep("rm \(path)")
    case 2...5:
      return UserStep("sed '\(change)' \(path) > ../text; cat ../text > \(path)")
    case 6...8:
      return UserStep(
        "sed '\(change)' \(path) > 2026/.goutputstream-\(number)"
          + "; mv 2026/.goutputstream-\(number) \(path)")
    case 9: return UserStep("sed -i '\(change)' \(path)")
    default: return UserStep("echo 'More \(number).' >> \(path)")
    }
  }

  private mutating func stage(_ path: String) -> UserStep {
    switch roll(9) {
    case 0: return UserStep("git add -A")
    case 1...2: return UserStep("git add \(path)")
    case 3: return UserStep("printf 'y\\nn\\ny\\nn\\n' | git add -p \(path)")
    case 4: return UserStep("git reset -q")
    case 5: return UserStep("git restore --staged \(path)")
    case 6: return UserStep("git rm -q --cached \(path)")
    case 7: return UserStep("git mv \(path) 2026/m\(number).md")
    default:
      let words = "Staged \(number)."
      var step = UserStep(
        "git update-index --add --cacheinfo "
          + "100644,$(echo '\(words)' | git hash-object -w --stdin),\(path)")
      step.stagedText = (path, words)
      return step
    }
  }

  private mutating func commit(_ path: String) -> UserStep {
    let subject = "writer \(number)"
    switch roll(8) {
    case 0: return UserStep("git commit -qam '\(subject)'")
    case 1: return UserStep("git commit -q --amend --no-edit", isRewritingCommits: true)
    case 2: return UserStep("git commit -qm '\(subject)' -- \(path)")
    case 3:
      return UserStep(
        "git -c core.editor='sleep 0.4; echo \(subject) >' commit -q")
    default:
      var step = UserStep("git commit -qm '\(subject)'")
      step.committedSubject = subject
      return step
    }
  }

  private mutating func stash() -> UserStep {
    switch roll(5) {
    case 0: return UserStep("git stash push -q -u")
    case 1: return UserStep("git stash push -q")
    default:
      // If the stash conflicts, take the stash's version.
      return UserStep(
        "git stash pop -q || { git diff --quiet --diff-filter=U ||"
          + " { git checkout -q --theirs . ; git reset -q; git stash drop -q; }; }")
    }
  }

  private mutating func switchBranch(_ state: GitState) -> UserStep {
    if state.branches.count < 4 { return UserStep("git switch -q -c b\(number)") }
    switch roll(4) {
    case 0: return UserStep("git checkout -q --detach")
    case 1: return UserStep("git checkout -q --detach HEAD~1")
    case 2: return UserStep("git checkout -q \(otherBranch(state))")
    default: return UserStep("git switch -q -m \(otherBranch(state))")
    }
  }

  private mutating func combine(_ state: GitState) -> UserStep {
    let other = otherBranch(state)
    switch roll(6) {
    case 0...1: return UserStep("git merge -q -m 'joined \(number)' \(other)")
    case 2: return UserStep("git cherry-pick \(other)")
    case 3:
      // git stops halfway if a file exists on disk that was removed from the index only.
      return UserStep(
        "git rebase -q --empty=keep --autostash \(other)"
          + " || [ -e .git/rebase-merge/head-name ] || rm -rf .git/rebase-merge",
        isRewritingCommits: true)
    case 4: return UserStep("git rebase -q --empty=keep \(other)", isRewritingCommits: true)
    default: return UserStep("git bisect start -q HEAD HEAD~3")
    }
  }

  private mutating func maintain(_ state: GitState) -> UserStep {
    switch roll(6) {
    case 0: return UserStep("git gc -q --prune=now")
    case 1: return UserStep("git restore \(state.disk.keys.sorted().first ?? ".")")
    case 2: return UserStep("git revert --no-edit HEAD")
    case 3: return UserStep("git pack-refs --all")
    default:
      return UserStep(
        "if [ -d ../wt ]; then echo 'There \(number).' >> ../wt/2026/a.md"
          + " && git -C ../wt commit -qam 'writer \(number)'"
          + "; else git worktree add -q -B wt ../wt; fi")
    }
  }

  private mutating func finish(_ operation: String) -> UserStep {
    let resolve = "git checkout -q --theirs . ; git add -A; git -c core.editor=true"
    let isRebase = operation.hasPrefix("rebase")
    if operation == "BISECT_LOG" {
      return UserStep(roll(3) == 0 ? "git bisect good" : "git bisect reset")
    }
    let command =
      ["MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert"][operation]
      ?? "rebase"
    return roll(2) == 0
      ? UserStep("git \(command) --abort", isRewritingCommits: isRebase)
      : UserStep("\(resolve) \(command) --continue", isRewritingCommits: isRebase)
  }
}
