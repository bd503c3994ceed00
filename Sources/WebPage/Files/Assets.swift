import Crypto
import DiaryCore
import EntryFormats
import Foundation
import HTTPTypes
import HummingbirdCore

/// The style, scripts and icon of the page, embedded in the program. Each name contains a digest of
/// the content, so browsers can cache it permanently and a new version gets a new name.
struct Assets: Sendable {
  private struct Asset {
    let bytes: [UInt8]
    let type: String
  }

  private var byName: [String: Asset] = [:]
  private var addresses: [String: String] = [:]

  init() {
    let script = "text/javascript; charset=utf-8"
    add("open.js", PackageResources.open_js, script)
    add("page.js", PackageResources.page_js, script)
    add("drafts.js", PackageResources.drafts_js, script)
    add("unkept.js", PackageResources.unkept_js, script)
    add("swipe.js", PackageResources.swipe_js, script)
    add("rows.js", PackageResources.rows_js, script)
    add("wide.js", PackageResources.wide_js, script)
    // A module that uses a function of another script.
    add("panes.js", PackageResources.swipe_js + PackageResources.panes_js, script)
    add("calendar.js", PackageResources.calendar_js, script)
    add("thumbnails.js", PackageResources.thumbnails_js, script)
    add("pictures.js", PackageResources.pictures_js, script)
    add("list.js", PackageResources.list_js, script)
    add("chips.js", PackageResources.chips_js, script)
    add("bar.js", PackageResources.bar_js, script)
    add("lock.js", PackageResources.lock_js, script)
    add("offer.js", PackageResources.offer_js, script)
    add("share.js", PackageResources.share_js, script)
    add("uploads.js", PackageResources.uploads_js, script)
    add("tasks.js", PackageResources.tasks_js, script)
    add("read.js", PackageResources.read_js, script)
    add("write.js", PackageResources.write_js, script)
    add("edits.js", PackageResources.edits_js, script)
    add("help.js", PackageResources.help_js, script)
    add("weather.js", PackageResources.weather_js, script)
    add("past.js", PackageResources.past_js, script)
    let style = "text/css; charset=utf-8"
    add("page.css", PackageResources.page_css, style)
    add("list.css", PackageResources.list_css, style)
    add("write.css", PackageResources.write_css, style)
    // The list's, and what is different beside an entry.
    add("panes.css", PackageResources.list_css + PackageResources.panes_css, style)
    add("past.css", PackageResources.past_css, style)
    add("entry.css", Array(pageStyle.utf8), style)
    add("icon.svg", PackageResources.icon_svg, "image/svg+xml")
    // A browser resolves the icon's address relative to the manifest.
    let manifest = String(decoding: PackageResources.manifest_json, as: UTF8.self)
      .replacing("icon.svg", with: address(of: "icon.svg"))
    add("manifest.json", Array(manifest.utf8), "application/manifest+json")
  }

  private mutating func add(_ name: String, _ bytes: [UInt8], _ type: String) {
    let digest = hexadecimal(SHA256.hash(data: bytes).prefix(8))
    let parts = name.split(separator: ".")
    let full = "\(parts[0]).\(digest).\(parts[1])"
    byName[full] = Asset(bytes: bytes, type: type)
    addresses[name] = "/a/" + full
  }

  /// A digest of all assets. A page with another digest was made by another program version.
  var digest: String {
    hexadecimal(SHA256.hash(data: Data(byName.keys.sorted().joined(separator: " ").utf8)).prefix(8))
  }

  /// The address of an asset, such as `/a/page.0123456789abcdef.css` for `page.css`.
  func address(of name: String) -> String { addresses[name] ?? "/a/" }

  /// The response for an asset, permanently cacheable; `nil` if there is no such asset.
  func response(_ name: Substring) -> Response? {
    guard let asset = byName[String(name)] else { return nil }
    var response = Response.bytes(asset.bytes, type: asset.type)
    response.headers[.cacheControl] = "private, max-age=31536000, immutable"
    return response
  }
}

extension PageContext {
  func asset() throws -> Response {
    guard let response = server.assets.response(wildcard) else { throw PageFailure.notFound }
    return response
  }
}
