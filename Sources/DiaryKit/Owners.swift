/// The index of the entries: it is kept up to date with the folder, and answers lists, searches
/// and references to entries.
package struct Catalog: Sendable {
  let journal: Journal
}

/// The saved versions of entries and the operations of commands: showing, restoring, undoing.
package struct History: Sendable {
  let journal: Journal
}

/// The commands that write, change, check, delete and share entries.
package struct Entries: Sendable {
  let journal: Journal
}

/// The settings in their files.
package struct SettingsFiles: Sendable {
  let journal: Journal
}

/// The weather of the journal's place, and the stamps with which it reaches the entries.
package struct JournalWeather: Sendable {
  let journal: Journal
}

/// The exchange with the remote.
package struct RemoteSync: Sendable {
  let journal: Journal
}

/// Diary's merge driver in the configuration of the user's git.
package struct MergeDriver: Sendable {
  let journal: Journal
}

/// The creation and the cloning of a journal.
package struct JournalSetup: Sendable {
  let journal: Journal
}

/// The search for the journal that a command means.
package enum JournalFinder {}

/// The files that a sync, or git, replaced or has to replace.
package struct Checkouts: Sendable {
  let journal: Journal
}

/// The differences between the folder and what is saved, and the states of its paths.
package struct FolderChanges: Sendable {
  let journal: Journal
}

/// Import and export.
package struct Transfer: Sendable {
  let journal: Journal
}

/// The page's changes to entries.
package struct PageEditing: Sendable {
  let journal: Journal
}

extension Journal {
  package var catalog: Catalog { Catalog(journal: self) }
  package var history: History { History(journal: self) }
  package var entries: Entries { Entries(journal: self) }
  package var settingsFiles: SettingsFiles { SettingsFiles(journal: self) }
  package var weather: JournalWeather { JournalWeather(journal: self) }
  package var remote: RemoteSync { RemoteSync(journal: self) }
  package var mergeDriver: MergeDriver { MergeDriver(journal: self) }
  package var setup: JournalSetup { JournalSetup(journal: self) }
  package var checkouts: Checkouts { Checkouts(journal: self) }
  package var changes: FolderChanges { FolderChanges(journal: self) }
  package var transfer: Transfer { Transfer(journal: self) }
  package var page: PageEditing { PageEditing(journal: self) }
}
