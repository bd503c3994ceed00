import DiaryCore
import Foundation
import TestSupport

@testable import DiaryKit

/// A violation of an invariant by a run.
struct DeviceComplaint: Equatable {
  /// The violated invariant.
  let kind: String
  let words: String
}

extension DeviceRun {
  private static let maxRounds = 8

  /// Syncs all devices in turn until they have one branch and the same files.
  func syncUntilEqual() async throws -> DeviceComplaint? {
    var last = ""
    for _ in 1...Self.maxRounds {
      for (index, device) in devices.enumerated() {
        do {
          _ = try await device.journal.remote.sync()
          try await mergeCopies(index)
        } catch {
          return DeviceComplaint(
            kind: "sync", words: "\(device.name): \(DiaryError.message(of: error))")
        }
      }
      var state = [try await home.git("rev-parse", "main", in: "remote.git")]
      for device in devices {
        state.append(try await home.git("rev-parse", "HEAD", in: device.name))
        for path in files(of: device) { state.append(path + ":" + (text(path, on: device) ?? "")) }
      }
      let now = state.joined(separator: "\n")
      if now == last { return try await differenceComplaint() }
      last = now
    }
    return DeviceComplaint(kind: "no end", words: "still moving after \(Self.maxRounds) rounds")
  }

  private func differenceComplaint() async throws -> DeviceComplaint? {
    let (first, others) = (devices[0], devices.dropFirst())
    let tip = try await home.git("rev-parse", "HEAD", in: first.name)
    for device in others {
      if try await home.git("rev-parse", "HEAD", in: device.name) != tip {
        return DeviceComplaint(kind: "apart", words: "\(device.name) has another branch")
      }
      for path in Set(files(of: first)).union(files(of: device)).sorted()
      where text(path, on: first) != text(path, on: device) {
        return DeviceComplaint(kind: "apart", words: "\(device.name) has another \(path)")
      }
    }
    for device in devices {
      let status = try await home.git("status", "--porcelain", in: device.name)
      if !status.isEmpty {
        return DeviceComplaint(kind: "unclean", words: "\(device.name): \(status)")
      }
    }
    return nil
  }

  /// What is wrong at the end, when all devices have the same files.
  func endComplaint() async throws -> DeviceComplaint? {
    let words = words(of: devices[0])
    if let word = written.subtracting(deleted).subtracting(words.keys).min() {
      return DeviceComplaint(kind: "lost", words: word)
    }
    for path in files(of: devices[0]) {
      let lines = (text(path, on: devices[0]) ?? "").split(whereSeparator: \.isNewline)
      let marks = ["<<<<<<<", "=======", ">>>>>>>"]
      if lines.contains(where: { line in marks.contains { line.hasPrefix($0) } }) {
        return DeviceComplaint(kind: "mark", words: path)
      }
    }
    var kept = Set(words.keys)
    for device in devices {
      let objects = try await home.run(
        "sh", ["-c", "git rev-list --objects --no-object-names --all | git cat-file --batch"],
        in: device.name)
      kept.formUnion(DeviceWriter.words(objects.output).keys)
      let fsck = try await home.run("git", ["fsck", "--strict", "--no-dangling"], in: device.name)
      if fsck.status != 0 || !fsck.errors.isEmpty {
        return DeviceComplaint(kind: "damaged", words: "\(device.name): \(fsck)")
      }
    }
    if let word = saved.subtracting(kept).min() {
      return DeviceComplaint(kind: "forgotten", words: word)
    }
    return nil
  }

  /// The steps of a run, its complaint and the files in the end.
  var report: String {
    let files = files(of: devices[0]).map { path in
      "  \(path): \((text(path, on: devices[0]) ?? "").debugDescription)"
    }
    let found = complaint.map { "\($0.kind): \($0.words)" } ?? "nothing"
    let steps = script.steps.map { " \($0.number)" }.joined()
    let heading = "DIARY_DEVICES='\(script.seed)\(steps)': \(found)"
    let lines = [heading] + actionLog.map { "  " + $0 } + ["in the end:"] + files
    return lines.joined(separator: "\n")
  }
}
