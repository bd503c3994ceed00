/// A media type, detected from a file's first bytes; the name is not used.
package struct MediaKind: Equatable, Sendable {
  package let type: String
  /// The possible file extensions, the usual one first.
  package let extensions: [String]

  /// The number of bytes needed for the detection.
  package static let signatureLength = 1_024

  /// Fails for files that a browser must not display or run.
  package init?(_ bytes: some Collection<UInt8>) {
    let start = Array(bytes.prefix(Self.signatureLength))
    let ascii = String(decoding: start, as: Unicode.ASCII.self)
    func hasSignature(_ signature: [UInt8], at offset: Int = 0) -> Bool {
      start.dropFirst(offset).starts(with: signature)
    }
    func hasSignature(_ signature: String, at offset: Int = 0) -> Bool {
      hasSignature(Array(signature.utf8), at: offset)
    }
    if hasSignature([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self.init("image/png", ["png"])
    } else if hasSignature([0xFF, 0xD8, 0xFF]) {
      self.init("image/jpeg", ["jpg", "jpeg"])
    } else if hasSignature("GIF87a") || hasSignature("GIF89a") {
      self.init("image/gif", ["gif"])
    } else if hasSignature("RIFF"), hasSignature("WEBP", at: 8) {
      self.init("image/webp", ["webp"])
    } else if hasSignature("RIFF"), hasSignature("WAVE", at: 8) {
      self.init("audio/wav", ["wav"])
    } else if hasSignature("BM"), hasSignature([0, 0, 0, 0], at: 6) {
      self.init("image/bmp", ["bmp"])
    } else if hasSignature("ftyp", at: 4) {
      self.init(isoBrand: String(ascii.dropFirst(8).prefix(4)))
    } else if hasSignature("OggS") {
      self.init("audio/ogg", ["ogg", "oga", "opus", "ogv"])
    } else if hasSignature("fLaC") {
      self.init("audio/flac", ["flac"])
    } else if hasSignature("ID3") || hasSignature([0xFF, 0xFB]) || hasSignature([0xFF, 0xF3]) {
      self.init("audio/mpeg", ["mp3"])
    } else if hasSignature([0x1A, 0x45, 0xDF, 0xA3]) {
      self.init("video/webm", ["webm", "mkv"])
    } else if hasSignature("%PDF-") {
      self.init("application/pdf", ["pdf"])
    } else if Self.isSVG(start) {
      self.init("image/svg+xml", ["svg"])
    } else {
      return nil
    }
  }

  private init(_ type: String, _ endings: [String]) {
    self.type = type
    self.extensions = endings
  }

  private init(isoBrand brand: String) {
    switch brand {
    case "avif", "avis": self.init("image/avif", ["avif"])
    case "heic", "heix", "mif1", "msf1", "heim", "heis": self.init("image/heic", ["heic", "heif"])
    case "M4A ", "M4B ": self.init("audio/mp4", ["m4a"])
    default: self.init("video/mp4", ["mp4", "m4v", "mov", "3gp"])
    }
  }

  package var isPicture: Bool { type.hasPrefix("image/") }

  /// True for SVG, which can contain scripts.
  package var isVectorImage: Bool { type == "image/svg+xml" }

  /// The name for a file that was sent, with an extension that matches its content. `nil` if it is
  /// not a valid file name in the journal.
  package func fileName(_ sent: String) -> String? {
    guard let path = EntryPath(sent), path.names.count == 1, !path.isHidden,
      terminalName(sent) == sent, !sent.contains("\t")
    else { return nil }
    let name = extensions.contains(path.fileExtension) ? sent : "\(sent).\(extensions[0])"
    return name.utf8.count <= 200 ? name : nil
  }

  private static func isSVG(_ start: [UInt8]) -> Bool {
    let text = String(decoding: start, as: UTF8.self).lowercased()
      .drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    let canPrecede = ["<?xml", "<!--", "<!doctype svg"].contains { text.hasPrefix($0) }
    return text.hasPrefix("<svg")
      || canPrecede && text.contains("<svg") && !text.contains("<html")
  }
}
