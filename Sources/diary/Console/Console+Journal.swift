import DiaryKit
import Foundation

extension Console {
  /// A text of Diary's own whose commands work on the journal that it is about, wherever it is pasted.
  ///
  /// `diary` names the journal if it would find another one in this folder, and `git` does if this folder
  /// is not in the journal. All messages, errors and lines of `status` pass here on their way out; results
  /// of other commands do not.
  static func namingJournal(_ text: String) -> String {
    guard text.contains("diary ") || text.contains("`git "),
      let typed = try? CommandArguments.arguments(),
      // A key that stands in a command is not repeated.
      (try? SealedKeys.requireNoKey(in: typed)) != nil
    else { return text }
    let environment = RuntimeEnvironment.current()
    let found = JournalFinder.location(named: nil, environment)
    let named = PartialCommandLine(typed).namedJournal(environment)
    var text = text
    if let named, resolved(named.root) != resolved(found) {
      let isThere = (try? JournalFinder.find(named: named.root, environment)) != nil
      text.replace(#/(^|`|: )diary (?=([^\n`]+))/#) { match in
        let names =
          worksOnJournal(match.2, isQuoted: match.1 == "`")
          // It is the one command for a journal that is not here yet.
          && (isThere || !match.2.hasPrefix("key add"))
        return "\(match.1)diary " + (names ? named.option + " " : "")
      }
    }
    let root = resolved(named?.root ?? found)
    guard FileManager.default.fileExists(atPath: root + "/.diary"),
      !(resolved(environment.currentFolder) + "/").hasPrefix(root + "/")
    else { return text }
    // Those that work in any folder, or are for a host, stay as they are.
    let commands =
      #/`git (?=(add|cat-file|fetch|fsck|gc|ls-remote|merge|remote|repack|restore|stash|status|switch|config --(get|unset))\b)/#
    return text.replacing(commands) { _ in "`git -C \(shellWord(root)) " }
  }

  /// True if a command without the program's name works on a journal, and does not name one itself.
  ///
  /// - Parameter isQuoted: true if it stands between backticks. Otherwise it may be a sentence.
  private static func worksOnJournal(_ command: Substring, isQuoted: Bool) -> Bool {
    let words = command.split(separator: " ")
    guard let first = words.first, first.first != "-" else { return false }
    let options: Set = ["--journal", "-j", "--help"]
    if words.contains(where: { options.contains(String($0.prefix { $0 != "=" })) }) { return false }
    switch first {
    case "help", "demo", "clone": return false
    case "init": return words.count == 1 || words[1].first == "-"
    // These are personal settings.
    case "config": return !(words.count > 1 && words[1].hasPrefix("journal"))
    case "weather": return !(words.count > 1 && ["on", "off"].contains(words[1]))
    default:
      return isQuoted || first.last == ":"
        || ArgumentPreprocessor.commands.contains(String(first))
    }
  }

  private static func resolved(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }
}
