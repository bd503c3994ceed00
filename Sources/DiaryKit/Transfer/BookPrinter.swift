import DiaryCore
import EntryFormats
import Foundation
import Glibc
import Localization

/// Makes a PDF of entries: the HTML of a book, which an installed Chromium prints.
struct BookPrinter {
  let source: ExportSource
  let options: ExportOptions
  let progress: (_ done: Int, _ of: Int) -> Void

  private var runner: ProcessRunner { source.journal.programs }

  /// The installed Chromium; `nil` without one.
  var browser: String? {
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"].lazy
      .compactMap { runner.path(of: $0) }.first
  }

  /// Writes the HTML of the book, oldest entry first.
  func writeHTML(_ entries: [EntrySummary], to file: ExportFile) throws {
    let book = PrintedBook(entries, title: options.title, language: options.locale.tag) {
      options.locale.monthText(of: $0)
    }
    func write(_ text: String) throws { try file.write(Array(text.utf8)) }
    try write(book.start)
    var done = 0
    for chapter in book.chapters {
      try write(book.start(of: chapter))
      for entry in chapter.entries {
        try Task.checkCancellation()
        let text = try source.journal.catalog.text(of: entry.path)
        var context = HTMLArticleContext { link in
          source.picture(of: entry.path, link).flatMap(\.address)
        }
        context.fileAddress = { link in
          PictureEmbedder.path(link, from: entry.path).flatMap { book.address(of: $0) }
        }
        try write(book.article(of: source.exportEntry(entry, text), in: context))
        done += 1
        progress(done, entries.count)
      }
      try write(PrintedBook.chapterEnd)
    }
    try write(htmlPageEnd)
    try file.close(flushing: false)
  }

  /// Prints `book.html` of a folder that nobody else can read to `book.pdf` in it. Chromium gets a
  /// profile there, which is new, and no network.
  func printBook(in folder: String, with browser: String) async throws {
    let page = URL(fileURLWithPath: folder + "/book.html").absoluteString
    let arguments = [
      "--headless=new", "--disable-gpu", "--no-first-run", "--disable-extensions",
      "--disable-background-networking", "--host-resolver-rules=MAP * ~NOTFOUND",
      "--user-data-dir=\(folder)/profile", "--no-pdf-header-footer",
      "--print-to-pdf=\(folder)/book.pdf", page,
    ]
    var variables = source.journal.environment.variables
    for name in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME"] { variables[name] = folder + "/profile" }
    // Chromium fails without its folder for sockets.
    let temporary = variables["TMPDIR"] ?? "/"
    if !FileManager.default.fileExists(atPath: temporary) { variables["TMPDIR"] = nil }
    let result = try await runner.run(
      [browser] + arguments, input: [], timeout: 1800, environment: variables, ownSession: true)
    let signature = FileHandle(forReadingAtPath: folder + "/book.pdf")?.readData(ofLength: 5)
    guard let result, result.status == 0, signature == Data("%PDF-".utf8) else {
      let lines = (result?.errors ?? "").split(separator: "\n").suffix(3).map(String.init)
      throw DiaryError(
        result == nil
          ? localized("Chromium did not print the book within half an hour")
          : localized("Chromium could not print the book"), details: lines)
    }
  }

  /// True if a letter of Korean would be missing: there is one, and no installed font has them.
  func lacksKoreanFont(_ entries: [EntrySummary]) async throws -> Bool {
    let isKorean = entries.contains { entry in
      (entry.title + entry.preview).unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) }
    }
    guard isKorean, runner.isOnPath("fc-list") else { return false }
    let fonts = try await runner.run(["fc-list", ":lang=ko"], input: [], timeout: 10)
    return fonts?.status == 0 && fonts?.output.isEmpty == true
  }
}

extension Transfer {
  /// Removes the folder of a print; first the texts, in case that something in it cannot be removed.
  private func removePrinted(in folder: String) {
    for name in ["book.html", "book.pdf"] { unlink(folder + "/" + name) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Writes a PDF. If nothing can print one, its HTML is written beside it, and an error tells.
  func writePDF(
    _ entries: [EntrySummary], _ source: ExportSource, at destination: ExportDestination,
    _ options: ExportOptions, _ progress: @escaping @Sendable (Int, Int) -> Void
  ) async throws -> Int {
    let printer = BookPrinter(source: source, options: options, progress: progress)
    let name = destination.displayPath
    // Without its sandbox, which root cannot use, Chromium does not protect from what it shows.
    let isRoot = geteuid() == 0
    guard let browser = printer.browser, !isRoot else {
      let obstacle =
        printer.browser == nil
        ? localized("Chromium is not installed") : localized("Chromium does not run as root")
      // The writer has not named this file, so it replaces none.
      let names = (1...99).map { name + ($0 == 1 ? "" : "-\($0)") + ".html" }
      let isFree = { (name: String) in
        !FileManager.default.fileExists(atPath: journal.environment.absolutePath(of: name))
      }
      let page = names.first(where: isFree) ?? names[0]
      let kept = try await exportDestination(page, isFolder: false, replacing: false)
      try printer.writeHTML(entries, to: try ExportFile(at: kept.draft, displayPath: page))
      try kept.finish()
      throw DiaryError(
        localized("cannot make \(name): \(obstacle)"),
        details: [localized("the book is in \(page)")],
        hint: localized("open it in a browser, and print it"))
    }
    if try await printer.lacksKoreanFont(entries) {
      source.addNotice(
        localized("no font with Korean letters is installed, so the PDF may lack them"))
    }
    try journal.makeStateFolder()
    removeStaleTemporaryFiles()
    let folder = journal.stateFolder + "/export.\(getpid()).part"
    // A killed process had the same number.
    removePrinted(in: folder)
    guard mkdir(folder, 0o700) == 0 else { throw DiaryError.cannotWrite(folder, errno) }
    defer { removePrinted(in: folder) }
    let page = folder + "/book.html"
    try printer.writeHTML(entries, to: try ExportFile(at: page, displayPath: page))
    try await printer.printBook(in: folder, with: browser)
    let file = try ExportFile(at: destination.draft, displayPath: name)
    guard let printed = FileHandle(forReadingAtPath: folder + "/book.pdf") else {
      throw DiaryError.cannotWrite(name, ENOENT)
    }
    while let part = try printed.read(upToCount: 1 << 20), !part.isEmpty {
      try Task.checkCancellation()
      try file.write(Array(part))
    }
    try file.close()
    return entries.count
  }
}
