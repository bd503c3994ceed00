import DiaryCore
import Glibc

/// The names of swap files that vim and Neovim store in a separate folder for the given entries.
///
/// With `set directory=~/.vim/swap//`, and by default in Neovim, the name is the entry's whole path
/// with `%` for `/`. Without the two slashes it is only the entry's name; the first block of the
/// swap file then contains the path.
struct OpenSwapFiles {
  private var byPath: [[UInt8]: EntryPath] = [:]
  private var byName: [[UInt8]: [EntryPath]] = [:]
  private var roots: [[UInt8]]

  init(of paths: some Sequence<EntryPath>, in journal: JournalFolder) {
    roots = [Array(journal.root.utf8)]
    if let real = realPath(of: journal.rootDescriptor), real != roots[0] { roots.append(real) }
    for path in paths {
      for root in roots {
        let name = (root + [slash] + path.bytes).map { $0 == slash ? UInt8(ascii: "%") : $0 }
        byPath[name] = path
      }
      byName[Array(path.nameBytes), default: []].append(path)
    }
  }

  /// The entries to which a swap file with this name belongs.
  ///
  /// - Parameter firstBlock: reads the start of the file.
  func entries(of name: [UInt8], firstBlock: () -> [UInt8]?) -> [EntryPath] {
    // If a name is in use, vim counts down from .swp.
    let ending = name.suffix(4)
    guard ending.starts(with: ".s".utf8), ending.allSatisfy({ $0 < 0x80 }), name.count > 4 else {
      return []
    }
    let bare = Array(name.dropLast(4))
    if let path = byPath[bare] { return [path] }
    let withoutDot = bare.first == UInt8(ascii: ".") ? Array(bare.dropFirst()) : bare
    guard let named = byName[bare] ?? byName[withoutDot], let block = firstBlock(),
      block.count > 108, block.starts(with: "b0".utf8)
    else { return [] }
    let file = Array(block[108...].prefix { $0 != 0 })
    return named.filter { isFile($0, named: file) }
  }

  /// True if the swap file names this entry. vim shortens the home folder to `~` and user name.
  private func isFile(_ path: EntryPath, named file: [UInt8]) -> Bool {
    roots.contains { root in
      let whole = root + [slash] + path.bytes
      guard file.first == UInt8(ascii: "~") else { return file == whole }
      let remainder = file.drop { $0 != slash }
      return remainder.count > 1 && whole.suffix(remainder.count).elementsEqual(remainder)
    }
  }
}

private let slash = UInt8(ascii: "/")

private func realPath(of descriptor: Int32) -> [UInt8]? {
  var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
  let length = readlink("/proc/self/fd/\(descriptor)", &buffer, buffer.count)
  return length > 0 ? buffer[..<length].map { UInt8(bitPattern: $0) } : nil
}
