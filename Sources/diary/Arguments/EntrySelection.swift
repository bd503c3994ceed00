import ArgumentParser
import DiaryCore
import DiaryKit
import Foundation
import Glibc
import Localization

/// The entries that a command for several entries takes: those that REFs name, those that match the
/// filters, or the paths of a pipe (`-`).
struct EntrySelection: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      localized(
        "Numbers, ranges (1..3), dates, paths or words of a title; - reads paths from a pipe."),
      valueName: "ref"))
  var references: [String] = []
  @OptionGroup var filters: FilterOptions

  /// True if REFs name the entries, and neither the filters nor a pipe.
  var hasReferences: Bool { !references.isEmpty && !isPiped }

  private var isPiped: Bool { references == ["-"] }

  func validate() throws {
    if references.isEmpty, !filters.hasFilter {
      throw ValidationError(localized("name an entry, or filter with --on, --since, …"))
    }
    if !references.isEmpty, filters.hasFilter {
      throw ValidationError(localized("name entries, or filter with --on, --since, …, not both"))
    }
    if references.contains("-"), references.count > 1 {
      throw ValidationError(localized("- reads all entries from a pipe; no other may be named"))
    }
  }

  /// The selected entries, at least one; those of a date, a range or the filters oldest first, and
  /// their number is told.
  func entries(
    in journal: Journal, _ common: CommonOptions
  ) async throws -> Catalog.NamedEntries {
    var named: Catalog.NamedEntries
    if isPiped {
      let entries = try await journal.catalog.entries(at: StandardInput.paths())
      named = Catalog.NamedEntries(entries: entries, hasSpan: true)
    } else if references.isEmpty {
      let entries = try await journal.catalog.list(filters.filter(in: journal))
      named = Catalog.NamedEntries(
        entries: entries.sorted { $0.number > $1.number }, hasSpan: true)
    } else {
      named = try await journal.catalog.resolveAll(references)
    }
    guard !named.entries.isEmpty else { throw noEntry }
    named.hasSpan = named.hasSpan && named.entries.count > 1
    if named.hasSpan {
      common.printNotice(counted(named.entries.count, "entry", "entries"))
    }
    return named
  }

  private var noEntry: DiaryError {
    guard let on = filters.on else {
      return DiaryError(
        localized("no entry matches"), kind: .nothingFound,
        hint: localized("`diary list` shows the entries with their numbers"))
    }
    return DiaryError(
      localized("there is no entry for \"\(on)\""), kind: .nothingFound,
      hint: localized("to write one: diary \(on): It rained."))
  }
}

extension StandardInput {
  /// The paths in the input, one in each line, or each ended by NUL. From now on the input is the
  /// terminal, if there is one, for questions and an editor.
  fileprivate static func paths() -> [[UInt8]] {
    let data = Array(FileHandle.standardInput.readDataToEndOfFile())
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    if terminal >= 0 {
      dup2(terminal, STDIN_FILENO)
      close(terminal)
    }
    return data.split(separator: data.contains(0) ? 0 : UInt8(ascii: "\n")).map { Array($0) }
  }
}
