import DiaryCore
import DiaryKit
import EntryFormats
import Localization

/// The frame of every document.
struct PageFrame {
  let user: PageUser
  let assets: Assets
  /// The title in the browser's history: never an entry's title.
  var title: String
  /// The name of the screen, for style and script.
  var screen: StaticString
  /// The script's texts and their keys.
  var texts: [(name: String, text: String)] = []
  /// Further data for the script, such as the entry's path.
  var dataAttributes: Markup = ""
  /// True if the document displays an entry.
  var hasEntry = false

  /// The whole document.
  func document(_ content: Markup) -> String {
    let texts = (texts + (user.isEncrypted ? PageTexts.encrypted : []))
      .map { $0.name + "=" + $0.text }.joined(separator: "\n")
    let page: Markup = """
      <!DOCTYPE html>
      <html lang="\(user.language.textLanguage)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, \
      interactive-widget=resizes-content">
      <meta name="color-scheme" content="light dark">
      <meta name="theme-color" content="#fcfaf6" media="(prefers-color-scheme: light)">
      <meta name="theme-color" content="#1b1a18" media="(prefers-color-scheme: dark)">
      <meta name="referrer" content="no-referrer">
      <title>\(title)</title>
      \(screenScript)\(styles)\
      <link rel="icon" href="\(assets.address(of: "icon.svg"))" type="image/svg+xml">
      <link rel="manifest" href="\(assets.address(of: "manifest.json"))">
      \(scripts)</head>
      <body class="\(Markup(rendered: "\(screen)"))"\(dataAttributes)\
      \(modules)\(flag: "data-read-only", if: user.isReadOnly) data-texts="\(texts)">
      \(content)\
      </body>
      </html>

      """
    return page.html
  }

  /// The addresses of the scripts that a screen loads when it needs them.
  private var modules: [Markup] {
    let list = ["calendar", "lock", "rows", "share", "thumbnails", "weather"]
    let writing = user.isReadOnly ? [] : ["bar", "chips", "offer", "tasks", "uploads"]
    // In a wide window, the list stands beside the entry.
    let screenModules = ["list": list, "pictures": ["thumbnails"], "write": list + writing]
    return screenModules["\(screen)", default: []].map {
      " data-\($0)=\"\(assets.address(of: $0 + ".js"))\""
    }
  }

  private var scripts: [Markup] {
    let drafts = user.isEncrypted ? "unkept" : "drafts"
    let screenScripts = [
      "list": [drafts, "swipe", "list"], "write": [drafts, "edits", "read", "help", "write"],
      "history": ["past"], "deleted": ["past"], "pictures": ["pictures"],
    ]
    return (["page"] + screenScripts["\(screen)", default: []]).map {
      "<script src=\"\(assets.address(of: $0 + ".js"))\" defer></script>\n"
    }
  }

  /// The script that shows the list beside an entry. It comes before the styles, as a script
  /// waits for those above it.
  private var screenScript: Markup {
    guard "\(screen)" == "write" else { return "" }
    return """
      <script src="\(assets.address(of: "wide.js"))" data-panes="\(assets.address(of: "panes.js"))" \
      data-style="\(assets.address(of: "panes.css"))"></script>

      """
  }

  /// The style of entries, that of all screens, and that of this one.
  private var styles: [Markup] {
    let screenStyles = [
      "list": "list", "write": "write", "history": "past", "deleted": "past", "pictures": "past",
    ]
    return ((hasEntry ? ["entry"] : []) + ["page"] + [screenStyles["\(screen)"]].compactMap(\.self))
      .map { stylesheet(assets.address(of: $0 + ".css")) }
  }

  private func stylesheet(_ link: String) -> Markup {
    "<link rel=\"stylesheet\" href=\"\(link)\">\n"
  }
}

/// The link to the list, at the left of the bar; it leads to the row of the entry.
func backLink(to row: EntryRow? = nil) -> Markup {
  """
  <a id="back" href="/\(row.map { "?at=" + $0.href.dropFirst(3) + "#at" } ?? "")"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M15 4l-8 8 8 8"/></svg>\
  <span>\(localized("Diary"))</span></a>
  """
}

/// An icon button of the bar.
func iconButton(_ id: StaticString, _ label: String, _ drawing: Markup) -> Markup {
  """
  <button id="\(Markup(rendered: "\(id)"))" type="button" class="plain" aria-label="\(label)" \
  title="\(label)"><svg viewBox="0 0 24 24" aria-hidden="true">\(drawing)</svg></button>
  """
}

/// The three dots of the button that opens a sheet.
let dotsIcon: Markup = "<path class=\"dots\" d=\"M5 12h.01M12 12h.01M19 12h.01\"/>"

/// The weather icons that rows and bars refer to, each once in a document.
func weatherIconSymbols() -> Markup {
  let symbols = Condition.allCases.flatMap { condition -> [Markup] in
    let names = [false, true].map { (condition.iconName(isNight: $0), $0) }
    let needed = names[0].0 == names[1].0 ? names.prefix(1) : names[...]
    return needed.map { name, isNight in
      let lines = Markup(rendered: weatherIconPaths(condition, isNight: isNight))
      return "<symbol id=\"w-\(name)\" viewBox=\"0 0 24 24\">\(lines)</symbol>\n"
    }
  }
  return "<svg hidden aria-hidden=\"true\">\n\(symbols)</svg>\n"
}

/// The icon of an entry's weather; empty without an icon.
func weatherIcon(_ weather: EntryRow.WeatherIcon?) -> Markup {
  guard let weather, let icon = weather.icon else { return "" }
  return """
    <svg class="icon" role="img" aria-label="\(weather.label)"><use href="#w-\(icon)"/></svg>
    """
}

/// The star of a starred entry, with a text for screen readers.
func starMark() -> Markup {
  "<span class=\"star\" role=\"img\" aria-label=\"\(localized("starred"))\">★</span>"
}
