import Foundation
import TestSupport
import Testing

/// A document as html5lib reads it: what a browser makes of it, and each error of its syntax.
enum HTMLCheck {
  struct Finding: Decodable {
    let errors: [String]
    /// Names of elements and attributes, as `script`, `a@href`.
    let names: [String]
    let text: String
    let ids: [String]
  }

  private static let program = """
    import json, sys, html5lib
    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"), namespaceHTMLElements=False)
    tree = parser.parse(sys.stdin.buffer.read(), transport_encoding="utf-8")
    names, ids, text = set(), [], []
    for element in tree.iter():
        name = str(element.tag).split("}")[-1]
        names.add(name)
        text += [element.text or "", element.tail or ""]
        for key, value in element.attrib.items():
            names.add(name + "@" + str(key))
            if key == "id": ids.append(value)
    json.dump({"errors": [e[1] for e in parser.errors], "names": sorted(names), "ids": ids,
               "text": "".join(text)}, sys.stdout)
    """

  static func read(_ document: String) async throws -> Finding {
    let result = try await Sandbox().run(
      "/usr/bin/python3", ["-c", program], input: document)
    #expect(result.status == 0, "\(result.errors)")
    return try JSONDecoder().decode(Finding.self, from: Data(result.output.utf8))
  }
}
