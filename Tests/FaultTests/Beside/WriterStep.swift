import TestSupport

/// One thing that the writer does: a line for the shell, run in the journal.
struct WriterStep: Sendable {
  var line: String
  /// Rebasing and amending replace commits.
  var rewrites = false
  /// The subject of the commit that it makes from the index as it is.
  var commits: String?
  /// What stands in the index afterwards for a path, as a blob of these words.
  var stages: (path: String, words: String)?

  init(_ line: String, rewrites: Bool = false) { (self.line, self.rewrites) = (line, rewrites) }
}

/// A writer who uses git and an editor by turns; which, is the dice's choice.
struct Writer {
  var dice: Seeded
  private var number = 0

  init(seed: UInt64) { dice = Seeded(seed) }

  mutating func next(_ state: GitState) -> WriterStep {
    number += 1
    let paths = state.disk.keys.sorted()
    let path = paths.isEmpty ? "2026/a.md" : paths[roll(paths.count)]
    if let operation = state.operation, roll(3) == 0 { return end(operation) }
    if roll(2) == 0 { return edit(path) }
    if state.operation != nil { return WriterStep("git add \(path)") }
    if state.branch == nil {
      return roll(2) == 0 ? WriterStep("git switch -q \(other(state))") : stage(path)
    }
    switch roll(10) {
    case 0...2: return stage(path)
    case 3...5: return commit(path)
    case 6: return stash()
    case 7: return move(state)
    case 8: return combine(state)
    default: return upkeep(state)
    }
  }

  private mutating func roll(_ sides: Int) -> Int { Int(dice.next() % UInt64(sides)) }

  private mutating func other(_ state: GitState) -> String {
    let names = state.branches.keys.filter { $0 != state.branch && $0 != "refs/heads/wt" }.sorted()
    return names.isEmpty
      ? "main" : String(names[roll(names.count)].dropFirst("refs/heads/".count))
  }

  /// As editors write: in place, emptied first, or a file beside it that takes its name.
  private mutating func edit(_ path: String) -> WriterStep {
    let change = "\(roll(12) + 1)s/.*/Words \(number)./"
    switch roll(12) {
    case 0: return WriterStep("cp \(path) 2026/n\(roll(9)).md && echo New \(number). >> \(path)")
    case 1: return WriterStep("rm \(path)")
    case 2...5:
      return WriterStep("sed '\(change)' \(path) > ../text; cat ../text > \(path)")
    case 6...8:
      return WriterStep(
        "sed '\(change)' \(path) > 2026/.goutputstream-\(number)"
          + "; mv 2026/.goutputstream-\(number) \(path)")
    case 9: return WriterStep("sed -i '\(change)' \(path)")
    default: return WriterStep("echo 'More \(number).' >> \(path)")
    }
  }

  private mutating func stage(_ path: String) -> WriterStep {
    switch roll(9) {
    case 0: return WriterStep("git add -A")
    case 1...2: return WriterStep("git add \(path)")
    case 3: return WriterStep("printf 'y\\nn\\ny\\nn\\n' | git add -p \(path)")
    case 4: return WriterStep("git reset -q")
    case 5: return WriterStep("git restore --staged \(path)")
    case 6: return WriterStep("git rm -q --cached \(path)")
    case 7: return WriterStep("git mv \(path) 2026/m\(number).md")
    default:
      let words = "Staged \(number)."
      var step = WriterStep(
        "git update-index --add --cacheinfo "
          + "100644,$(echo '\(words)' | git hash-object -w --stdin),\(path)")
      step.stages = (path, words)
      return step
    }
  }

  private mutating func commit(_ path: String) -> WriterStep {
    let subject = "writer \(number)"
    switch roll(8) {
    case 0: return WriterStep("git commit -qam '\(subject)'")
    case 1: return WriterStep("git commit -q --amend --no-edit", rewrites: true)
    case 2: return WriterStep("git commit -qm '\(subject)' -- \(path)")
    case 3:
      return WriterStep(
        "git -c core.editor='sleep 0.4; echo \(subject) >' commit -q")
    default:
      var step = WriterStep("git commit -qm '\(subject)'")
      step.commits = subject
      return step
    }
  }

  private mutating func stash() -> WriterStep {
    switch roll(5) {
    case 0: return WriterStep("git stash push -q -u")
    case 1: return WriterStep("git stash push -q")
    default:
      // A stash that does not fit: what the stash says is taken.
      return WriterStep(
        "git stash pop -q || { git diff --quiet --diff-filter=U ||"
          + " { git checkout -q --theirs . ; git reset -q; git stash drop -q; }; }")
    }
  }

  private mutating func move(_ state: GitState) -> WriterStep {
    if state.branches.count < 4 { return WriterStep("git switch -q -c b\(number)") }
    switch roll(4) {
    case 0: return WriterStep("git checkout -q --detach")
    case 1: return WriterStep("git checkout -q --detach HEAD~1")
    case 2: return WriterStep("git checkout -q \(other(state))")
    default: return WriterStep("git switch -q -m \(other(state))")
    }
  }

  private mutating func combine(_ state: GitState) -> WriterStep {
    let other = other(state)
    switch roll(6) {
    case 0...1: return WriterStep("git merge -q -m 'joined \(number)' \(other)")
    case 2: return WriterStep("git cherry-pick \(other)")
    case 3:
      // git gives up halfway where a file stands that was taken out of the index alone.
      return WriterStep(
        "git rebase -q --empty=keep --autostash \(other)"
          + " || [ -e .git/rebase-merge/head-name ] || rm -rf .git/rebase-merge", rewrites: true)
    case 4: return WriterStep("git rebase -q --empty=keep \(other)", rewrites: true)
    default: return WriterStep("git bisect start -q HEAD HEAD~3")
    }
  }

  private mutating func upkeep(_ state: GitState) -> WriterStep {
    switch roll(6) {
    case 0: return WriterStep("git gc -q --prune=now")
    case 1: return WriterStep("git restore \(state.disk.keys.sorted().first ?? ".")")
    case 2: return WriterStep("git revert --no-edit HEAD")
    case 3: return WriterStep("git pack-refs --all")
    default:
      return WriterStep(
        "if [ -d ../wt ]; then echo 'There \(number).' >> ../wt/2026/a.md"
          + " && git -C ../wt commit -qam 'writer \(number)'"
          + "; else git worktree add -q -B wt ../wt; fi")
    }
  }

  private mutating func end(_ operation: String) -> WriterStep {
    let goOn = "git checkout -q --theirs . ; git add -A; git -c core.editor=true"
    let isRebase = operation.hasPrefix("rebase")
    if operation == "BISECT_LOG" {
      return WriterStep(roll(3) == 0 ? "git bisect good" : "git bisect reset")
    }
    let command =
      ["MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert"][operation]
      ?? "rebase"
    return roll(2) == 0
      ? WriterStep("git \(command) --abort", rewrites: isRebase)
      : WriterStep("\(goOn) \(command) --continue", rewrites: isRebase)
  }
}
