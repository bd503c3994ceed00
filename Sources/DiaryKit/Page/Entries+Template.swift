import DiaryCore
import EntryFiles
import Foundation
import Localization

/// A template's text for the fields of a page.
package struct TemplateText: Sendable, Equatable {
  /// The title that the template sets; empty if the user gives it.
  package var title: String
  package var body: String
  /// The cursor's place in ``body``, in UTF-16 code units; the end if the template sets none.
  package var caret: Int
}

extension Entries {
  /// The text of a template, filled in for a new entry of this moment; with `nil`, that of the usual
  /// one.
  package func templateText(named name: String?) throws -> TemplateText {
    var new = NewEntry()
    new.template = name
    new.isForPage = true
    let date = try date(of: new)
    var notes: [String] = []
    let template = try dailyNoteTemplate(for: new, of: date, into: &notes) ?? template(for: new)
    func text() throws -> TemplateText {
      let rendered = template.render(values(for: new, date: date, weather: nil))
      do throws(EditableText.ReadOnlyReason) {
        let text = try editable(EntryText(rendered.bytes), dated: date)
        let isOwn = text.titleLocation == .header || text.titleLocation == .heading
        return TemplateText(
          title: isOwn ? text.title : "", body: text.body,
          caret: text.bodyOffset(of: rendered.cursor ?? rendered.bytes.count))
      } catch {
        throw DiaryError(
          localized("the page cannot use the template \(template.name): \(error.description)"))
      }
    }
    let own = try text()
    if !own.title.isEmpty { return own }
    // Without a title, the first line of the text would be one.
    let mark = UUID().uuidString
    new.title = mark
    let marked = try text()
    let before = String(decoding: Array(marked.body.utf16.prefix(marked.caret)), as: UTF16.self)
    return TemplateText(
      title: "", body: marked.body.replacing(mark, with: ""),
      caret: before.replacing(mark, with: "").utf16.count)
  }

  /// A new entry's text for the fields of a page.
  func editable(
    _ text: EntryText, dated date: EntryDate
  ) throws(EditableText.ReadOnlyReason) -> EditableText {
    // A name that is only a date gives no title.
    guard let path = EntryPath("\(date.day(startingAt: 0)).md") else { throw .damaged }
    return try EditableText(text, path: path, settings: journal.settings)
  }
}
