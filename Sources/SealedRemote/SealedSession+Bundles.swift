import Foundation
import Glibc
import Localization

/// A file in a private folder, removed with the object.
final class WorkFile {
  let descriptor: Int32
  let path: String

  init(in folder: String, prefix: String = "") throws(SealedError) {
    var name = Array("\(folder)/\(prefix)XXXXXX".utf8CString)
    descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw SealedError.system(localized("cannot write \(folder)")) }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit {
    close(descriptor)
    unlink(path)
  }
}

extension SealedSession {
  /// A decrypted bundle; its file stands at the pack.
  struct OpenedBundle {
    var header: BundleHeader
    var file: WorkFile
  }

  /// Takes all bundles of the carrier that are not here, and proves that nothing of it is missing. Returns
  /// the tips of all bundles.
  @discardableResult
  func take(_ state: CarrierState) throws(SealedError) -> Set<String> {
    guard let repository else { throw SealedError(localized("there is no repository here")) }
    try repository.requireComplete()
    let recorded = try repository.takenBundles()
    let present = recorded.filter { id, _ in state.bundles.contains { $0.id == id } }
    // Some refs of a bundle may be lost, and then its objects: all bundles are taken again.
    var taken = try take(state, besides: present, in: repository)
    if taken == nil { taken = try take(state, besides: [:], in: repository, isRepair: true) }
    guard let new = taken else {
      try repository.requireWhole()
      throw .damaged(CarrierFile.bundles, localized("objects are missing in them"))
    }
    try repository.record(new, forgetting: recorded.filter { present[$0.key] == nil })
    repository.releasePacks()
    return Set(present.values.joined()).union(new.values.joined())
  }

  /// Takes all bundles but some, and returns their tips; `nil` if objects are missing then. Unless it is
  /// a repair, a bundle whose tips are here is not stored.
  private func take(
    _ state: CarrierState, besides taken: [String: [String]], in repository: UserRepository,
    isRepair: Bool = false
  ) throws(SealedError) -> [String: [String]]? {
    var new: [String: [String]] = [:]
    let missing = state.bundles.filter { taken[$0.id] == nil }
    if showsProgress, !missing.isEmpty {
      report(localized("Decrypting: \(missing.reduce(0) { $0 + $1.size } / 1000) kB"))
    }
    for bundle in missing {
      let opened = try open(bundle)
      let tips = opened.header.tips.map(\.object)
      let isThere = isRepair ? false : try repository.isWhole(tips)
      if !isThere, try !repository.store(pack: opened.file.descriptor) {
        guard isRepair else { return nil }
        throw .damaged(bundle.name(of: 0), localized("git cannot read its objects"))
      }
      new[bundle.id] = tips
    }
    let needed = Set(new.values.joined()).union(state.refs.refs.values)
    return try repository.isWhole(needed) ? new : nil
  }

  /// Decrypts a bundle.
  func open(_ bundle: SealedBundle) throws(SealedError) -> OpenedBundle {
    let sealed = try WorkFile(in: work)
    for part in bundle.parts { try copy.copy(part.blob, to: sealed.descriptor) }
    guard let opened = try open(sealed.descriptor) else {
      throw .damaged(bundle.name(of: 0), localized("the key does not open it, or it is cut off"))
    }
    return opened
  }

  private func open(_ sealed: Int32) throws(SealedError) -> OpenedBundle? {
    let file = try WorkFile(in: work)
    let plain = file.descriptor
    guard try keys.open(sealed, into: plain, key: key()) else { return nil }
    let line = plain.contents(from: 0, limit: PaddedText.lineLength)
    guard let length = PaddedText.length(in: line, of: plain.fileSize) else { return nil }
    let end = PaddedText.lineLength + length
    guard plain.contents(from: end).allSatisfy({ $0 == 0 }),
      let (header, start) = BundleHeader.read(
        plain.contents(from: PaddedText.lineLength, limit: min(length, 1 << 24))),
      ftruncate(plain, off_t(end)) == 0
    else { return nil }
    lseek(plain, off_t(PaddedText.lineLength + start), SEEK_SET)
    return OpenedBundle(header: header, file: file)
  }

  /// Stores an encrypted bundle in the copy, after it was read back. Returns its parts.
  func seal(
    _ header: BundleHeader, _ list: ObjectList, _ repository: UserRepository
  ) throws(SealedError) -> [(blob: String, size: Int)] {
    let sealed = try WorkFile(in: work)
    try seal(header, list, repository, to: sealed.descriptor)
    guard let opened = try open(sealed.descriptor), opened.header == header,
      try objects(of: opened, repository) == list.ids
    else { throw SealedError(localized("what would be pushed cannot be read back")) }
    var parts: [(blob: String, size: Int)] = []
    for start in stride(from: 0, to: sealed.descriptor.fileSize, by: SealedBundle.partSize) {
      let bytes = sealed.descriptor.contents(from: start, limit: SealedBundle.partSize)
      parts.append((try copy.store(bytes), bytes.count))
    }
    return parts
  }

  private func seal(
    _ header: BundleHeader, _ list: ObjectList, _ repository: UserRepository, to sealed: Int32
  ) throws(SealedError) {
    let file = try WorkFile(in: work)
    let plain = file.descriptor
    let cannotWrite = localized("cannot write \(work)")
    guard plain.writeAll(PaddedText.line(for: 0) + Array(header.text.utf8)) else {
      throw .system(cannotWrite)
    }
    try repository.writePack(of: list, to: plain)
    let length = plain.fileSize - PaddedText.lineLength
    lseek(plain, 0, SEEK_SET)
    guard plain.writeAll(PaddedText.line(for: length)),
      ftruncate(plain, off_t(PaddedText.size(for: length))) == 0
    else { throw .system(cannotWrite) }
    try keys.seal(plain, into: sealed, key: key())
  }

  /// The ids of the objects in a decrypted bundle, which git has read whole.
  func objects(
    of bundle: OpenedBundle, _ repository: UserRepository
  ) throws(SealedError) -> Set<String> {
    let scratch = work + "/scratch"
    defer { try? FileManager.default.removeItem(atPath: scratch) }
    return try repository.objects(inPack: bundle.file.descriptor, scratch: scratch)
  }

  /// Writes a commit of the carrier with these bundles and refs.
  func commit(
    _ bundles: [SealedBundle], _ refs: [RefName: String], head: RefName, on state: CarrierState
  ) throws(SealedError) -> CarrierState {
    let parts = bundles.flatMap { bundle in
      bundle.parts.enumerated().map { part, file in
        CarrierCopy.Item(
          mode: "100644", id: file.blob, size: file.size, name: bundle.name(of: part))
      }
    }
    let tree = parts.isEmpty ? nil : try copy.tree(parts)
    let list = CarrierRefs(
      carrier: state.refs.carrier, number: state.refs.number + 1, parent: state.commit,
      bundles: tree, head: head, refs: refs)
    let sealed = try keys.sealed(PaddedText.padded(Array(list.text.utf8)), key: key())
    var items = [
      CarrierCopy.Item(
        mode: "100644", id: try copy.store(sealed), size: sealed.count, name: CarrierFile.refs)
    ]
    if let tree {
      items.insert(
        CarrierCopy.Item(mode: "040000", id: tree, size: 0, name: CarrierFile.bundles), at: 0)
    }
    let commit = try copy.commit(try copy.tree(items), parent: state.commit, seconds: time)
    return CarrierState(commit: commit, refs: list, bundles: bundles)
  }
}
