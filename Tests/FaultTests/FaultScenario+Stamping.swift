import TestSupport

extension FaultScenario {
  /// An entry gets the weather of its time. A program configured by the user returns it, instead of
  /// a provider.
  static let stamping = FaultScenario(
    name: "weather stamp", arguments: ["weather", "stamp", "The river"],
    prepare: { home in
      try await makeThreeEntries(home)
      try home.write(entry("river", day: 1, "\nAnd a heron.\n"), to: "w/j/2026/11/river.md")
      let sky = try home.script(
        "sky",
        #"""
        moment=$(tr -d '\n' | sed -n 's/.*"moments" *: *\[\([0-9]*\).*/\1/p')
        echo "{\"skies\":[{\"moment\":$moment,\"condition\":\"Rain\",\"celsius\":7.2}],\"places\":[]}"

        """#)
      try home.write(
        "weather: {provider: command, command: [\(sky)]}\n", to: ".config/diary/config.yml")
      let on = try await home.diary("weather", "on", "37.57,126.98", in: "w/j")
      guard on.status == 0 else { throw ProgramFailed(message: on.errors) }
    }, requiredTexts: initialTexts + ["a heron"])
}
