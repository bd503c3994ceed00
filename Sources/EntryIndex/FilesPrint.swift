import DiaryCore

/// A print of all that a walk saw, so that a folder in which nothing changed is known at one look,
/// without a comparison row by row; and of some hundred files at a time, so that after a change only
/// its neighbours are compared. 128 bits: two different walks never have the same in practice.
public struct FilesPrint {
  /// Files that follow one another, from one whose path says that a run begins there to the next such
  /// one: what comes, changes or goes elsewhere leaves a run as it was.
  struct Run {
    /// What the first path comes to.
    let start: UInt64
    /// The first file's place among all.
    let first: Int
    fileprivate(set) var print: Print
  }

  private(set) var runs: [Run] = []
  let count: Int

  /// `files` ordered by path.
  public init(_ files: [IndexedFile]) {
    count = files.count
    for (place, file) in files.enumerated() {
      var name = Print()
      name.add(file.path)
      if runs.isEmpty || name.begins(oneIn: 256) {
        runs.append(Run(start: name.lanes.0, first: place, print: Print()))
      }
      runs[runs.count - 1].print.add(name)
      runs[runs.count - 1].print.add(file.stamp)
    }
  }

  /// The run that a file is in, by its place among all.
  func run(of file: Int) -> Int {
    var (low, high) = (0, runs.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if runs[middle].first <= file { low = middle } else { high = middle }
    }
    return low
  }

  /// The print as a text to be kept.
  public var text: String {
    var whole = Print()
    for run in runs { whole.add(run.print) }
    return "\(whole.lanes.0) \(whole.lanes.1)"
  }
}

/// 128 bits that tell one series of words from another.
struct Print: Equatable {
  fileprivate(set) var lanes: (UInt64, UInt64) = (0x9E37_79B9_7F4A_7C15, 0xC2B2_AE3D_27D4_EB4F)

  static func == (left: Print, right: Print) -> Bool { left.lanes == right.lanes }

  fileprivate mutating func add(_ path: EntryPath) {
    path.bytes.withUnsafeBytes { bytes in
      add(UInt64(bytes.count))
      var at = 0
      while at + 8 <= bytes.count {
        add(bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        at += 8
      }
      add(bytes[at...].reduce(0) { $0 << 8 | UInt64($1) })
    }
  }

  fileprivate mutating func add(_ stamp: FileStamp) {
    add(UInt64(bitPattern: stamp.size))
    add(UInt64(bitPattern: stamp.modified))
    add(stamp.inode)
    add(UInt64(stamp.mode))
  }

  fileprivate mutating func add(_ other: Print) {
    add(other.lanes.0)
    add(other.lanes.1)
  }

  /// True of one print in so many, always of the same ones.
  fileprivate func begins(oneIn count: UInt64) -> Bool { lanes.1 % count == 0 }

  private mutating func add(_ word: UInt64) {
    func mixed(_ value: UInt64, _ factor: UInt64) -> UInt64 {
      let product = value.multipliedFullWidth(by: factor)
      return product.high ^ product.low
    }
    lanes = (
      mixed(lanes.0 ^ word, 0xA076_1D64_78BD_642F) &+ word,
      mixed(lanes.1 &+ word, 0xE703_7ED1_A0B4_28DB) ^ word
    )
  }
}
