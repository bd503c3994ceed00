import Localization
import Yams

/// A parsed settings file: every setting with its line, nested keys joined by a period.
struct ParsedSettings {
  struct Line {
    let key: String
    let value: SettingValue
    /// The line number, 1 for the first line. `nil` if unknown.
    let number: Int?
    /// The outer name of a nested key, otherwise the key itself.
    var group: String { String(key.prefix { $0 != "." }) }
  }

  private(set) var lines: [Line] = []

  /// Parses the settings of a file. Throws if the file as a whole is invalid.
  init(_ bytes: [UInt8]) throws(Failure) {
    guard let mapping = try ParsedSettings.root(bytes) else { return }
    for (key, node) in mapping {
      guard let name = key.scalar?.string else { continue }
      if let inner = node.mapping, SettingRule.groups.contains(name) {
        for (key, node) in inner {
          guard let inner = key.scalar?.string else { continue }
          lines.append(
            Line(key: name + "." + inner, value: SettingValue(node), number: key.mark?.line))
        }
      } else {
        lines.append(Line(key: name, value: SettingValue(node), number: key.mark?.line))
      }
    }
  }

  /// The top-level settings by name, with mappings unsplit.
  static func fields(_ bytes: [UInt8]) throws(Failure) -> [String: SettingValue] {
    guard let mapping = try root(bytes) else { return [:] }
    var fields: [String: SettingValue] = [:]
    for (key, node) in mapping { fields[key.scalar?.string ?? ""] = SettingValue(node) }
    return fields
  }

  /// The reason a file could not be parsed as settings.
  struct Failure: Error, Equatable {
    let line: Int?
    /// A continuation of "the file cannot be read:".
    let reason: String
  }

  private static func root(_ bytes: [UInt8]) throws(Failure) -> Node.Mapping? {
    // Far more than any settings need, and small enough for the parser's recursion.
    guard bytes.count <= 65_536 else {
      throw Failure(line: nil, reason: localized("the file is too large"))
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Failure(line: nil, reason: localized("it is not UTF-8"))
    }
    guard !hasExcessiveAliases(text) else {
      throw Failure(line: nil, reason: localized("its aliases expand too much"))
    }
    guard let root = try compose(text) else { return nil }
    if SettingValue(root) == .empty { return nil }
    guard let mapping = root.mapping else {
      throw Failure(line: root.mark?.line, reason: localized("it is not a mapping of settings"))
    }
    return mapping
  }

  /// Passes the encoding explicitly, because the default reads the environment and may print to
  /// standard output. The basic resolver keeps every value as text.
  private static func compose(_ text: String) throws(Failure) -> Node? {
    do {
      return try Yams.compose(yaml: text, .basic, .default, .utf8)
    } catch YamlError.scanner(_, let problem, let mark, _), YamlError.parser(
      _, let problem, let mark, _),
      YamlError.composer(_, let problem, let mark, _)
    {
      throw Failure(line: mark.line, reason: problem)
    } catch YamlError.duplicatedKeysInMapping(let keys, let context) {
      throw Failure(
        line: context.mark.line, reason: localized("\(keys.first ?? "a key") is given twice"))
    } catch {
      throw Failure(line: nil, reason: localized("it is not YAML"))
    }
  }
}

extension SettingValue {
  /// Converts a node to text values.
  init(_ node: Node) {
    if let scalar = node.scalar {
      let isBare = scalar.style == .plain || scalar.style == .any
      self =
        isBare && ["", "~", "null", "Null", "NULL"].contains(scalar.string)
        ? .empty : .text(scalar.string)
    } else if let sequence = node.sequence {
      self = .list(sequence.map { SettingValue($0) })
    } else if let mapping = node.mapping {
      self = .mapping(mapping.map { Field($0.scalar?.string ?? "", SettingValue($1)) })
    } else {
      self = .empty
    }
  }
}
