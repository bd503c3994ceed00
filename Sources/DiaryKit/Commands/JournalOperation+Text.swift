import DiaryCore
import Foundation
import Localization

extension JournalOperation {
  /// How many entries it changed, if its subject is their number and not a title.
  var entryCount: Int? {
    let text = command == .fill ? subject.replacing("the weather of ", with: "") : subject
    let number = text.split(separator: " ").first.flatMap { Int($0) }
    return number.flatMap { text == History.entryCount($0) ? $0 : nil }
  }

  /// ``text`` behind another word: `delete "A"`.
  var textWithinSentence: String { text.prefix(1).lowercased() + text.dropFirst() }

  /// The operation in the user's language, as a noun: `Delete "A"`.
  package var text: String {
    let what = entryCount.map { counted($0, "entry", "entries") } ?? "\"\(subject)\""
    return switch command {
    case .new: localized("Write the entry \(what)")
    case .add: localized("Add to \(what)")
    case .rename: localized("Rename the entry \(what)")
    case .move: localized("Move the entry \(what)")
    case .delete: localized("Delete \(what)")
    case .import: localized("Import \(what)")
    case .restore: localized("Restore \(what)")
    case .star: localized("Star \(what)")
    case .unstar: localized("Unstar \(what)")
    case .fill: localized("Add weather to \(what)")
    case .merge: localized("Merge a conflict copy into \(what)")
    case .tag: localized("Rename the tag \(subject)")
    case .header: localized("Change the header of \(what)")
    default: command.rawValue + " " + what
    }
  }
}
