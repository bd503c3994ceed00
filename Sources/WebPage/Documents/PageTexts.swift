import Localization

/// The script's texts and their keys; the script replaces `{0}`.
enum PageTexts {
  static var list: [(name: String, text: String)] {
    [
      ("none", localized("No entries contain “\("{0}")”")),
      ("empty", localized("No entries yet. Tap + to write the first one.")),
      ("undated", localized("No date")),
      ("open", localized("Open")), ("deletedMenu", localized("Deleted entries")),
      ("pictures", localized("Pictures")),
      ("found", localized("Entries found: \("{0}")")),
      ("weather", localized("Weather…")),
      ("refused", localized("The browser does not allow this. Enter a town instead.")),
      ("nothing", localized("No entries")), ("stars", localized("Starred entries")),
      ("count", localized("entries: \("{0}")")),
    ] + shared
  }

  static var writing: [(name: String, text: String)] {
    [
      ("edited", localized("Edited")), ("saving", localized("Saving…")),
      ("saved", localized("Saved \("{0}")")),
      ("merged", localized("Merged with changes from elsewhere")),
      ("both", localized("Both versions kept — please check")),
      ("waiting", localized("Open in \("{0}"); not saved yet")),
      ("gone", localized("This entry was deleted elsewhere. Your text is still here.")),
      ("goneShort", localized("Not saved: deleted elsewhere")),
      ("again", localized("Create again")), ("leave", localized("Leave")),
      ("leaveText", localized("This browser stores the text and offers it next time.")),
      ("signedOut", localized("Not saved: signed out. Run `diary web` and open its link.")),
      ("merge", localized("Merge")),
      ("marks", localized("Marks")), ("bold", localized("bold")), ("italic", localized("italic")),
      ("list", localized("list")), ("task", localized("task")), ("quote", localized("quote")),
      ("adding", localized("Files that are still being added")),
      ("leaveFiles", localized("They are lost if you leave.")),
      ("cancelFile", localized("Cancel \("{0}")")), ("tryAgain", localized("Try again")),
      ("tooLarge", PageFailure.tooLarge.what),
      ("otherFile", localized("only pictures, sound, video and PDF can be added")),
      ("blank", localized("there is nothing to save yet")),
      ("untag", localized("Remove the tag \("{0}")")),
      ("inText", localized("In the text: \("{0}")")),
    ] + shared
  }

  /// The texts that differ in a journal that can be locked.
  static var encrypted: [(name: String, text: String)] {
    [("leaveText", localized("This text is not saved. It will be lost."))]
  }

  static var past: [(name: String, text: String)] {
    [
      ("restore", localized("Restore")),
      ("restoreThis", localized("Restore this version? The current one stays in the history.")),
      ("restoreAgain", localized("Bring this entry back?")),
      ("step", localized("Do this now?")),
    ] + shared
  }

  static var shared: [(name: String, text: String)] {
    [
      ("unsaved", localized("Not saved: \("{0}")")),
      ("silent", localized("the server is not responding")),
      ("draft", localized("There is unsaved text (\("{0}"))")), ("discard", localized("Discard")),
      ("delete", localized("Delete")),
      ("deleteThis", localized("Delete this entry?")), ("deleted", localized("Deleted")),
      ("undo", localized("Undo")), ("copied", localized("Copied")),
      ("share", localized("Share…")),
      ("history", localized("History")),
      ("picture", localized("Add pictures or files…")),
      ("more", localized("More")),
      ("locked", localized("the journal is locked; `diary unlock` lets this page go on")),
    ]
  }
}
