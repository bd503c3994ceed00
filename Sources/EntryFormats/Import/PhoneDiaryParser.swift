import DiaryCore
import Localization

/// Returns the entries of a phone diary's export: a list of `{"title", "body", "created_at"}`.
///
/// `created_at` is a number: seconds since 1970, with or without a fraction. It is in milliseconds
/// if it is 100 000 000 000 or more. Other keys are stored in `extra`.
package func parsePhoneDiary(_ bytes: [UInt8]) throws(ImportError) -> [PhoneDiaryEntry] {
  var reader = try JSONReader(bytes)
  var count = 0
  let entries = try reader.array { (reader) throws(ImportError) -> PhoneDiaryEntry in
    count += 1
    reader.position = count
    let entry = try reader.phoneEntry(position: count)
    reader.position = nil
    return entry
  }
  try reader.end()
  return entries
}

extension JSONReader {
  fileprivate mutating func phoneEntry(position: Int) throws(ImportError) -> PhoneDiaryEntry {
    let start = offset
    let line = line(at: start)
    var known: [String: LocatedMember] = [:]
    var extra: [JSONMember] = []
    for located in try object() {
      if ["title", "body", "created_at"].contains(located.member.key) {
        known[located.member.key] = located
      } else {
        extra.append(located.member)
      }
    }
    let moment = try moment(known["created_at"], start: start)
    return PhoneDiaryEntry(
      title: try text("title", known["title"], start: start),
      body: try text("body", known["body"], start: start),
      createdAt: moment.seconds, milliseconds: moment.milliseconds, position: position,
      line: line, extra: extra)
  }

  private func text(
    _ key: String, _ located: LocatedMember?, start: Int
  ) throws(ImportError) -> String {
    guard let located else { throw error(localized("\"\(key)\" is missing"), at: start) }
    guard case .string(let text) = located.member.value else {
      throw error(
        localized("\"\(key)\" is \(located.member.value.kind), not a text"), at: located.offset)
    }
    if let fault = TextFault(in: Array(text.utf8)) {
      throw error(
        localized(
          "\"\(key)\" has \(fault.reason), which an entry cannot contain"), at: located.offset)
    }
    return text
  }

  private func moment(_ located: LocatedMember?, start: Int) throws(ImportError) -> UnixMoment {
    guard let located else { throw error(localized("\"created_at\" is missing"), at: start) }
    guard case .number(let digits) = located.member.value else {
      let kind = located.member.value.kind
      throw error(localized("\"created_at\" is \(kind), not a number"), at: located.offset)
    }
    guard let moment = UnixMoment(digits) else {
      throw error(
        localized(
          "\"created_at\" is \(digits), which is not a time in seconds or milliseconds since 1970"),
        at: located.offset)
    }
    return moment
  }
}
