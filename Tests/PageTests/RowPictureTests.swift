import Foundation
import TestSupport
import Testing
import WebDriver

/// The pictures in the rows of the list.
@Suite(.serialized) struct RowPictureTests {
  /// A JPEG from the browser, of an uneven pattern, with a position in its metadata.
  private func photo(_ browser: Browser) async throws -> Data {
    let text = try await browser.runAsyncScript(
      """
      const canvas = Object.assign(document.createElement('canvas'), {width: 1200, height: 800});
      const context = canvas.getContext('2d');
      for (let x = 0; x < 1200; x += 40) {
        context.fillStyle = `hsl(${x} 80% ${20 + x / 30}%)`;
        context.fillRect(x, x % 160, 40, 600);
      }
      return canvas.toDataURL('image/jpeg').split(',')[1];
      """
    ).text
    let jpeg = try #require(text.flatMap { Data(base64Encoded: $0) })
    // A little-endian TIFF whose only directory names the camera and the position.
    let exif =
      Data("Exif\0\0II*\0".utf8) + Data([8, 0, 0, 0, 0, 0, 0, 0, 0, 0])
      + Data("GPSLatitude 37.5665 SecretCamera".utf8)
    return jpeg.prefix(2) + Data([0xFF, 0xE1, 0, UInt8(exif.count + 2)]) + exif + jpeg.dropFirst(2)
  }

  @Test(arguments: Browser.Engine.allCases)
  func `the browser makes a thumbnail once, without metadata, and it outlives the server`(
    _ engine: Browser.Engine
  ) async throws {
    try await PageSession.visit(engine) { world in
      let (home, browser) = (world.home, world.browser)
      let photo = try await photo(browser)
      #expect(String(decoding: photo, as: UTF8.self).contains("SecretCamera"))
      try photo.write(to: URL(filePath: home.homePath + "/j/lake.jpg"))
      try home.write(
        "---\ndate: 2027-01-01\n---\n# Lake\n\nBlue. ![](lake.jpg)\n", to: "j/lake.md")
      let row = "document.querySelector(\"#rows a[href='/e/lake.md'] img\")"
      #expect(await browser.shows("\(row)?.complete && \(row).naturalWidth == 112"))
      #expect(
        await browser.shows(
          "\(row).getBoundingClientRect().width == 56 && \(row).getBoundingClientRect().height == 56"
        ))
      try await browser.takeScreenshot("row-picture")
      let folder = home.homePath + "/j/.git/diary/cache/thumbnails"
      let made = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(made.count == 1)
      let file = folder + "/" + (made.first ?? "")
      let bytes = try #require(FileManager.default.contents(atPath: file))
      #expect(bytes.count <= 12_000 && bytes.starts(with: [0xFF, 0xD8, 0xFF]))
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(!text.contains("Exif") && !text.contains("GPS") && !text.contains("SecretCamera"))
      // The next document has it already: nothing is made again, and nothing moves.
      let time = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
      try await browser.reload()
      #expect(await browser.shows("\(row)?.src.includes('/t/lake.jpg?v=') && \(row).complete"))
      #expect(await browser.shows("document.querySelectorAll('[data-thumbnail]').length == 0"))
      let now = try FileManager.default.attributesOfItem(atPath: file)[.modificationDate] as? Date
      #expect(now == time)
    }
  }

  @Test(arguments: Browser.Engine.allCases)
  func `the screen of pictures leads to an entry and back`(_ engine: Browser.Engine) async throws {
    try await PageSession.visit(engine) { world in
      let (home, browser) = (world.home, world.browser)
      try await photo(browser).write(to: URL(filePath: home.homePath + "/j/lake.jpg"))
      for day in 1...9 {
        try home.write(
          "---\ntitle: Lake \(day)\ndate: 2026-12-0\(day)\n---\nBlue. ![](lake.jpg)\n",
          to: "j/lake-\(day).md")
      }
      #expect(await browser.shows("document.querySelectorAll('#rows .thumbnail').length == 9"))
      try await browser.click("#more")
      try await browser.click("#sheet .pictures")
      #expect(await browser.shows("document.querySelectorAll('.grid img').length == 9"))
      #expect(await browser.shows("document.querySelectorAll('[data-thumbnail]').length == 0"))
      #expect(
        try await browser.runScript(
          "return [...document.querySelectorAll('.grid img')].every((i) => i.width > 80 && i.width == i.height)"
        ).isTrue)
      try await browser.takeScreenshot("pictures")
      if engine == .chromium { #expect(try await findings(browser) == []) }
      try await browser.click(".grid li:nth-child(3) a")
      #expect(await browser.shows("document.querySelector('article h1')?.textContent == 'Lake 7'"))
      try await browser.back()
      #expect(await browser.shows("document.querySelectorAll('.grid img').length == 9"))
      try await browser.click("#back")
      #expect(await browser.shows("document.querySelector('#rows .row')"))
    }
  }

  @Test func `a picture that the browser cannot draw has an icon`() async throws {
    try await PageSession.visit { world in
      let browser = world.browser
      try Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 0]).write(
        to: URL(filePath: world.home.homePath + "/j/torn.jpg"))
      try world.home.write(
        "---\ndate: 2027-01-01\n---\n# Torn\n\nBlue. ![](torn.jpg)\n", to: "j/torn.md")
      let image = "document.querySelector(\"#rows a[href='/e/torn.md'] img\")"
      #expect(await browser.shows("\(image)?.dataset.thumbnail"))
      #expect(await browser.shows("\(image).getBoundingClientRect().width == 56"))
      // Time in which the browser would make a thumbnail.
      try await Task.sleep(for: .seconds(1))
      #expect(try await browser.runScript("return \(image).hasAttribute('src')").isTrue == false)
      try await browser.takeScreenshot("row-icon")
    }
  }
}
