/// The numbers of one list's items in the result. Numbers are spacing: they come from a version that
/// has the same items, or else they count on.
struct ItemNumbers {
  /// The numbers of the base's items and of each version's, if these are the items of the result.
  var same: [[Int]?] = [nil, nil, nil]
  /// The numbers of the lists of which the result has items.
  var lists: [[Int]?] = [nil, nil, nil]

  func merged(count: Int) -> [Int] {
    if let mine = same[1] ?? same[2] {
      let theirs = same[2] ?? mine
      if mine == theirs || same[0] == theirs { return mine }
      return same[0] == mine || theirs.lexicographicallyPrecedes(mine) ? theirs : mine
    }
    let firsts = lists.map { $0?.first }
    let (mine, theirs) = (firsts[1] ?? firsts[2] ?? 1, firsts[2] ?? firsts[1] ?? 1)
    let first = firsts[0] == theirs ? mine : firsts[0] == mine ? theirs : min(mine, theirs)
    let repeats = lists[1...].compactMap { $0 }.allSatisfy { list in
      list.count > 1 && list.allSatisfy { $0 == list[0] }
    }
    return (0..<count).map { repeats ? first : first + $0 }
  }
}

/// The number at the start of an item's marker.
func itemNumber(_ marker: ArraySlice<UInt8>) -> Int? {
  Int(String(decoding: marker.prefix { $0.isDigit }, as: UTF8.self))
}

/// True if the numbers of a text's items are words: a year, or a day before the name of a month.
func hasNumbersAsWords(_ text: [UInt8]) -> Bool {
  text.split { $0 == 0x0A || $0 == 0x0D }.contains { line in
    let line = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ">") }
    let digits = line.prefix { $0.isDigit }
    let rest = line.dropFirst(digits.count)
    guard !digits.isEmpty, let sign = rest.first,
      sign == UInt8(ascii: ".") || sign == UInt8(ascii: ")"), rest.dropFirst().first == 0x20
    else { return false }
    let text = String(decoding: rest.dropFirst().prefix(48), as: UTF8.self).lowercased()
    let word = text.drop { $0 == " " }.prefix { $0.isLetter || $0 == "." }
    return digits.count > 3 || months.contains(word)
      || word.last == "." && shortMonths.contains(word.dropLast())
  }
}

/// The months in languages that write a day with a dot before them. No table of the system's: two
/// devices must merge alike.
private let months = words(
  """
  januar jänner februar märz april mai juni juli august september oktober november dezember
  januari februari maart mei augustus december marts maj mars desember augusti
  tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu
  marraskuu joulukuu tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta
  heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta
  leden únor březen duben květen červen červenec srpen září říjen listopad prosinec
  ledna února března dubna května června července srpna října listopadu prosince
  styczeń luty marzec kwiecień czerwiec lipiec sierpień wrzesień październik grudzień
  stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada
  grudnia
  január február március április május június július augusztus szeptember október
  """)

/// The short forms, which count with a dot: without one, `Jun` and `Jan` are names.
private let shortMonths = words(
  """
  jan feb mär mrz mrt mar apr jun jul aug sep sept okt nov dez dec des
  tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu
  led úno bře dub kvě čvn čvc srp zář říj lis pro sty lut kwi cze lip sie wrz paź gru
  febr márc ápr máj jún júl szept
  """)

private func words(_ text: String) -> Set<Substring> {
  Set(text.split(whereSeparator: \.isWhitespace))
}
