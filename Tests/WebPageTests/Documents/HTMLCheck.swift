import Foundation
import TestSupport
import Testing

/// Parses documents with html5lib, as a browser does, and reports each syntax error.
enum HTMLCheck {
  struct Finding: Decodable {
    let errors: [String]
    /// The names of elements and attributes, such as `script` and `a@href`.
    let names: [String]
    let text: String
    let ids: [String]
  }

  private static let program = """
    import json, sys, html5lib
    def finding(document):
        parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"), namespaceHTMLElements=False)
        tree = parser.parse(document.encode(), transport_encoding="utf-8")
        names, ids, text = set(), [], []
        for element in tree.iter():
            name = str(element.tag).split("}")[-1]
            names.add(name)
            text += [element.text or "", element.tail or ""]
            for key, value in element.attrib.items():
                names.add(name + "@" + str(key))
                if key == "id": ids.append(value)
        return {"errors": [e[1] for e in parser.errors], "names": sorted(names), "ids": ids,
                "text": "".join(text)}
    json.dump([finding(document) for document in json.load(sys.stdin)], sys.stdout)
    """

  static func read(_ document: String) async throws -> Finding { try await read([document])[0] }

  /// The findings of each document, all read by one process.
  static func read(_ documents: [String]) async throws -> [Finding] {
    let input = String(decoding: try JSONEncoder().encode(documents), as: UTF8.self)
    let result = try await Sandbox().run("/usr/bin/python3", ["-c", program], input: input)
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode([Finding].self, from: Data(result.output.utf8))
  }
}
