/// Rules that depend on a file's name alone: who created the file, and whether it may be saved.
package enum FileName {
  /// True for files of editors and sync programs: swap, lock, backup and temporary files.
  package static func isEditorFile(_ name: some Collection<UInt8>) -> Bool {
    if isOrdinaryMarkdown(name) { return false }
    let name = Array(name)
    return editorFiles.contains { $0.matches(name[...]) }
      || randomPrefixes.contains { name.starts(with: $0.utf8) && isRandom(name[$0.utf8.count...]) }
  }

  /// True for the names of the empty file with which vim tests whether it can write in a folder,
  /// before it removes it: `4913`, and every 123rd number after it.
  package static func isWriteProbe(_ name: some Collection<UInt8>) -> Bool {
    guard name.allSatisfy(\.isDigit), let number = Int(String(decoding: name, as: UTF8.self)) else {
      return false
    }
    return number >= 4913 && (number - 4913) % 123 == 0
  }

  /// True for files that are never saved or stamped: those of editors, sync programs, desktops and
  /// version control, at any depth.
  package static func isNeverSaved(_ path: EntryPath) -> Bool {
    let names = path.names
    guard let last = names.last else { return false }
    return isEditorFile(last) || ConflictCopy.isCopyName(last) || isBackup(last)
      || names.contains { name in
        name.first.map { ".Td".utf8.contains($0) } == true
          && otherPrograms.contains { $0.matches(name) }
      }
      || (names.count > 1 && names[names.count - 2].elementsEqual(".obsidian".utf8)
        && last.starts(with: "workspace".utf8))
  }

  /// True for a backup that a program made before it changed a file (`sed -i.bak`,
  /// `rsync --suffix`, `patch`, `git mergetool`, `logrotate`).
  package static func isBackup(_ name: some Collection<UInt8>) -> Bool {
    let name = Array(name)
    return backups.contains { $0.matches(name[...]) }
  }

  /// True if the name is that of a key, a password file or an `.env`. Such files are not autosaved.
  package static func isSecret(_ path: EntryPath) -> Bool {
    let names = path.names
    guard let last = names.last else { return false }
    if names.dropLast().contains(where: { name in secretFolders.contains { $0.matches(name) } }) {
      return true
    }
    if isOrdinaryMarkdown(last) { return false }
    let lowered = last.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return !lowered.ends(with: ".pub") && secrets.contains { $0.matches(lowered[...]) }
  }

  /// True for ordinary entry names. This check runs for every file of a journal.
  private static func isOrdinaryMarkdown(_ name: some Collection<UInt8>) -> Bool {
    guard let first = name.first, !".#~".utf8.contains(first) else { return false }
    return name.suffix(3).elementsEqual(".md".utf8)
      || name.suffix(9).elementsEqual(".markdown".utf8)
  }

  /// True if the extension is that of an image, a sound, a video or a PDF.
  package static func isMedia(_ path: EntryPath) -> Bool { media.contains(path.fileExtension) }

  private static func globs(_ patterns: String) -> [NameGlob] {
    patterns.split(separator: " ").map { NameGlob($0.utf8) }
  }

  private static let editorFiles = globs(
    """
    .*.sw? *~ *.~[0-9]*~ .*.un~ #*# .#* .*.kak.* .goutputstream-* .~lock.*# lu*.tmp *.tmp *.part \
    *.filepart *.crdownload *.kate-swp *.vsctmp .syncthing.* ~syncthing~* ~$* ._* .fuse_hidden* \
    .nfs* DEADJOE *.md.?????? *.markdown.?????? .*.md.?????? .diary-*
    """
  )

  private static let backups = globs(
    "*.bak *.bak[0-9] *.rbak *.orig *.md.[0-9] *.md.[0-9][0-9] *.markdown.[0-9]")

  /// The prefixes of programs whose temporary files end with random letters and digits.
  private static let randomPrefixes = ["sed", "XX", "tmp"]

  /// Files and folders of other programs.
  private static let otherPrograms = globs(
    """
    .git .jj .hg .svn .stversions .stfolder .dropbox* .DS_Store Thumbs.db desktop.ini .directory \
    .Trash-* .sync_*.db .owncloudsync.log* ._sync_*.db
    """)

  private static let secrets = globs(
    """
    .env .env.* *.env id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk *.pem *.key *.p8 \
    *.p12 *.pfx *.ppk *.jks *.keystore *.kdbx .netrc _netrc .npmrc .pypirc .pgpass .htpasswd \
    .git-credentials credentials.json secring.* *.ovpn
    """)

  private static let secretFolders = globs(".ssh .gnupg .aws")

  private static let media: Set<String> = [
    "jpg", "jpeg", "png", "gif", "webp", "avif", "heic", "heif", "tif", "tiff", "bmp", "svg", "jxl",
    "mp3", "m4a", "aac", "ogg", "oga", "opus", "flac", "wav", "amr", "3gp",
    "mp4", "m4v", "mov", "webm", "mkv", "avi", "ogv", "mpg", "mpeg", "pdf",
  ]

  /// True for six or eight letters and digits that change between lower case, upper case and digits
  /// more often than a word, a capitalised word or a number after a word does.
  private static func isRandom(_ ending: ArraySlice<UInt8>) -> Bool {
    guard ending.count == 6 || ending.count == 8,
      ending.allSatisfy({ $0.isDigit || $0.isLetter })
    else { return false }
    func kind(_ byte: UInt8) -> Int { byte.isDigit ? 0 : byte & 0x20 == 0 ? 1 : 2 }
    return zip(ending, ending.dropFirst()).count { kind($0) != kind($1) } >= 2
  }
}

extension Array where Element == UInt8 {
  fileprivate func ends(with suffix: String) -> Bool {
    count >= suffix.utf8.count && self[(count - suffix.utf8.count)...].elementsEqual(suffix.utf8)
  }
}
