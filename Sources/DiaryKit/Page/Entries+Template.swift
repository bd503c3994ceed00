import DiaryCore
import EntryFiles
import Localization

/// A template's text for the fields of a page.
package struct TemplateText: Sendable, Equatable {
  package var title: String
  package var body: String
  /// The cursor's place in ``body``, in UTF-16 code units; the end if the template sets none.
  package var caret: Int
}

extension Entries {
  /// The text of a template, filled in for a new entry of this moment.
  package func templateText(named name: String) throws -> TemplateText {
    var new = NewEntry()
    new.template = name
    new.isForPage = true
    let date = try date(of: new)
    let rendered = try template(for: new).render(values(for: new, date: date, weather: nil))
    let text = try editable(EntryText(rendered.bytes), dated: date)
    return TemplateText(
      title: text.titleLocation == .name ? "" : text.title, body: text.body,
      caret: text.bodyOffset(of: rendered.cursor ?? rendered.bytes.count))
  }

  /// A new entry's text for the fields of a page.
  func editable(_ text: EntryText, dated date: EntryDate) throws(DiaryError) -> EditableText {
    guard let path = untitledPath(dated: date) else {
      throw DiaryError(localized("the layout \(journal.settings.layout) gives no file name"))
    }
    do throws(EditableText.ReadOnlyReason) {
      return try EditableText(text, path: path, settings: journal.settings)
    } catch {
      throw DiaryError(error.description)
    }
  }
}
