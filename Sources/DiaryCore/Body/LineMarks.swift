/// True if no character of the line can be a mark, as in most lines.
func isPlainText(_ line: String) -> Bool {
  var line = line
  return line.withUTF8 { bytes in
    let isText = bytes.first.map { !"#>-+0123456789".utf8.contains($0) } ?? true
    return isText && bytes.allSatisfy { $0 > 0x7F || !canBeMark(Unicode.Scalar($0)) }
  }
}

/// True if a scalar can be a mark. Most scalars of a line are letters, so this check must be fast.
func canBeMark(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x21, 0x2A, 0x3C, 0x3D, 0x5B, 0x5C, 0x5F, 0x60, 0x7E: true
  default: false
  }
}
