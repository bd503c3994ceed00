/// The words and numbers whose dot does not end a sentence.
extension SentenceCuts {
  /// True if the dot after a number ends a sentence: a year, a time of day, a decimal number, a number
  /// with a sign for its unit. Any other may be an ordinal or a date. `nil` if this is no number.
  static func isFinalNumber(_ word: ArraySlice<Unicode.Scalar>) -> Bool? {
    func isNumber(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.numericType != nil }
    guard word.contains(where: isNumber),
      word.allSatisfy({ isNumber($0) || "-/:,.%‰°′″€$£¥₩".unicodeScalars.contains($0) })
    else { return nil }
    let parts = word.split { !isNumber($0) }
    if word.contains(where: { "%‰°′″€$£¥₩:".unicodeScalars.contains($0) }) { return true }
    if parts.count == 1 { return word.count == 4 && parts[0].count == 4 }
    guard parts.count == 2, let sign = word.first(where: { !isNumber($0) }) else { return false }
    // `24.12.` is a day.
    return sign == "," || sign == "." && parts.contains { $0.count > 2 }
  }

  /// Words whose dot does not end a sentence, in English, German, French and Spanish.
  static let abbreviations: Set<String> = [
    "mr", "mrs", "ms", "dr", "prof", "st", "sr", "jr", "vs", "etc", "ca", "approx", "nr", "vol",
    "pp",
    "fig", "inc", "ltd", "dept", "mt", "ave", "blvd", "gen", "col", "capt", "lt", "sgt", "rev",
    "bzw",
    "usw", "evtl", "ggf", "vgl", "inkl", "exkl", "str", "hr", "fr", "tel", "abs", "bd", "jh",
    "jhdt",
    "geb", "gest", "mio", "mrd", "std", "sek", "jan", "feb", "apr", "aug", "sep", "sept", "okt",
    "oct",
    "nov", "dez", "dec", "tue", "tues", "thu", "thur", "thurs", "mme", "mlle", "av", "env", "sra",
    "srta", "dra", "ud", "uds", "cf", "resp",
  ]
}
