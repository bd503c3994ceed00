import Foundation
import TestSupport
import Testing

/// `init --sealed`, `clone --sealed` and `key`.
@Suite struct SealedSetupTests {
  let home: Sandbox

  init() async throws {
    home = try Sandbox()
    try await home.git("init", "-q", "--bare", "host.git", in: "")
    home.set("DIARY_WEATHER__PROVIDER", "off")
  }

  var keys: String { home.homePath + "/.config/diary/keys" }

  func keyNames(in config: String = ".config") -> [String] {
    home.files(in: config + "/diary/keys").filter { !$0.hasPrefix(".") }
  }

  private func key() throws -> String {
    try home.read(".config/diary/keys/" + #require(keyNames().first))
      .trimmingCharacters(in: .newlines)
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  func hostRefs() async throws -> String {
    try await home.git("for-each-ref", "--format=%(refname)", in: "host.git")
  }

  /// A second device: other keys, the same host.
  private func otherDevice(_ words: String) -> String {
    "XDG_CONFIG_HOME='\(home.homePath)/other' \(Sandbox.programs)/diary \(words)"
  }

  func initSealed(_ folder: String) async throws -> Sandbox.ProgramResult {
    try await home.diary("init", folder, "--remote", "host.git", "--sealed", "--yes")
  }

  // MARK: init

  @Test func `a journal with a plain remote gets a sealed one, and syncs with it from then on`()
    async throws
  {
    try await home.git("init", "-q", "--bare", "plain.git", in: "")
    #expect(try await home.diary("init", "a", "--remote", "plain.git").status == 0)
    let before = try await home.git("for-each-ref", in: "plain.git")
    let sealed = try await initSealed("a")
    #expect(sealed.status == 0, "\(sealed)")
    #expect(
      sealed.errors.contains("The remote \"origin\" is not sealed: the journal can be read there.")
    )
    #expect(
      sealed.errors.contains("The key of the remote is in \(keys)/")
        && sealed.errors.contains("`diary --journal \(home.homePath)/a key --show`"), "\(sealed)")
    #expect(try !(sealed.errors + sealed.output).contains(key()))
    #expect(try mode(keys) == 0o700)
    #expect(try mode("\(keys)/\(#require(keyNames().first))") == 0o600)
    #expect(
      try await home.git("remote", "get-url", "sealed", in: "a")
        == "diary::\(home.homePath)/host.git\n")

    try await home.diary("new", "plover", "-m", "Lapwings.", in: "a")
    let sync = try await home.diary("sync", in: "a")
    #expect(sync.status == 0 && sync.errors.contains("In sync with \"sealed\""), "\(sync)")
    #expect(try await home.git("for-each-ref", in: "plain.git") == before)
    #expect(try await hostRefs() == "refs/heads/sealed\n")
    let again = try await initSealed("a")
    #expect(again.status == 0 && keyNames().count == 1, "\(again)")

    // The other device, whose only remote is the sealed one, takes it in spite of the setting.
    #expect(try await home.diary("clone", "--sealed", "host.git", "b").status == 0)
    #expect(try await home.diary("list", in: "b").output.contains("plover"))
    #expect(try await home.diary("sync", in: "b").status == 0)
  }

  @Test func `on a terminal nothing is pushed before the person has the key on paper`()
    async throws
  {
    let terminal = try await Terminal(home, in: "", columns: 200)
    try await terminal.enter("diary init a --remote host.git --sealed; echo code $?")
    #expect(try await terminal.shows("Have you written it down? [y/N]"))
    let rows = try await terminal.screen().split(separator: "\n").map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    let first = try #require(rows.firstIndex(of: "AGE-SECRET-KEY-1"))
    #expect(rows[first...].prefix(4).joined().replacing(" ", with: "") == (try key()))
    try await terminal.press("Enter")
    #expect(try await terminal.shows("Nothing was pushed. The key stays in"))
    try await terminal.enter("n")
    #expect(try await terminal.shows("code 0"))
    #expect(try await hostRefs() == "")
    #expect(try await home.git("remote", in: "a") == "")

    let kept = try key()
    try await terminal.enter("clear; diary init a --remote host.git --sealed; echo code $?")
    #expect(try await terminal.shows("Have you written it down? [y/N]"))
    try await terminal.enter("y")
    #expect(try await terminal.shows("code 0"))
    #expect(try await hostRefs() == "refs/heads/sealed\n")
    #expect(try key() == kept && keyNames().count == 1)

    try await terminal.enter("clear; cd a; diary key check; echo code $?")
    #expect(try await terminal.shows("it is not shown"))
    try await terminal.enter(rows[first...].prefix(4).joined(separator: " ").lowercased())
    #expect(try await terminal.shows("Right: this is the key of the remote \"origin\"."))
    #expect(try await !terminal.screen().uppercased().contains(rows[first + 1]))

    try await terminal.enter("clear; diary key check")
    #expect(try await terminal.shows("it is not shown"))
    // Neither stops the command while the terminal does not show what is typed.
    try await terminal.press("C-z")
    try await terminal.press("C-\\")
    #expect(try await !terminal.screen().contains("Stopped"))
    try await terminal.press("C-c")
    try await terminal.enter("clear; stty -a; echo end $?")
    #expect(try await terminal.shows("end 0"))
    #expect(try await terminal.screen().contains(" echo "))

    try await terminal.enter("clear; diary key")
    #expect(try await terminal.shows(rows[first + 1]))
    await terminal.close()
  }

  @Test func `without a terminal --yes is needed, and age before anything is written`() async throws
  {
    let asked = try await home.diary("init", "a", "--remote", "host.git", "--sealed")
    #expect(asked.status == 1 && asked.errors.contains("use --yes"), "\(asked)")
    let noRemote = try await home.diary("init", "a", "--sealed")
    #expect(noRemote.status == 64 && noRemote.errors.contains("--sealed needs --remote"))

    // A folder with all that is on the path but age.
    let all = home.homePath + "/programs"
    try FileManager.default.createDirectory(atPath: all, withIntermediateDirectories: true)
    for folder in ["/usr/bin", "/bin"] {
      for name in try FileManager.default.contentsOfDirectory(atPath: folder)
      where !name.hasPrefix("age") {
        try? FileManager.default.createSymbolicLink(
          atPath: "\(all)/\(name)", withDestinationPath: "\(folder)/\(name)")
      }
    }
    home.set("PATH", all)
    for command in [
      ["init", "a", "--remote", "host.git", "--sealed", "--yes"],
      ["clone", "--sealed", "host.git", "a"],
    ] {
      let result = try await home.run(Sandbox.programs + "/diary", command)
      #expect(
        result.status == 1 && result.errors.contains("`sudo apt install age`"), "\(result)")
    }
    #expect(!home.exists("a") && !home.exists(".config"))
  }

  @Test func `a host that has plain refs, or is closed, is refused before anything is written`()
    async throws
  {
    #expect(try await initSealed("a").status == 0)
    try await home.git("clone", "-q", "--bare", "a", "plain.git", in: "")
    let plain = try await home.diary("init", "b", "--remote", "plain.git", "--sealed", "--yes")
    #expect(
      plain.status == 1 && plain.errors.contains("already holds a repository that is not sealed")
        && plain.errors.contains("make a new, empty repository"), "\(plain)")
    try await home.git("fetch", "-q", "../a", "main:main", in: "host.git")
    let mixed = try await initSealed("b")
    #expect(
      mixed.status == 0 && mixed.errors.contains("refs that are not sealed: refs/heads/main\n"),
      "\(mixed)")
    try await home.git("update-ref", "-d", "refs/heads/main", in: "host.git")
    try await home.run("rm", ["-rf", "b"])

    home.set("XDG_CONFIG_HOME", home.homePath + "/other")
    for state in ["no key", "another key", "half a key", "a wrong and the right key"] {
      switch state {
      case "another key":
        try await home.git("init", "-q", "--bare", "third.git", in: "")
        let third = try await home.diary(
          "init", "c", "--remote", "third.git", "--sealed", "--yes")
        #expect(third.status == 0, "\(third)")
      case "half a key": try home.write(String(key().prefix(40)), to: "other/diary/keys/half.txt")
      case "a wrong and the right key": try home.write(key(), to: "other/diary/keys/right.txt")
      default: break
      }
      let made = try await initSealed("b")
      let cloned = try await home.diary("clone", "--sealed", "host.git", "d")
      if state.hasSuffix("right key") {
        #expect(made.status == 0 && cloned.status == 0, "\(made) \(cloned)")
        continue
      }
      for result in [made, cloned] {
        #expect(
          result.status == 1 && result.errors.contains("`diary key add` stores its key"),
          "\(state): \(result)")
        #expect(result.errors.contains("half.txt is no whole key") == (state == "half a key"))
      }
      #expect(!home.exists("b") && !home.exists("d"))
    }
  }

  @Test func `a sealed remote never pushes to another address`() async throws {
    try await home.git("init", "-q", "--bare", "open.git", in: "")
    try await home.diary("init", "a")
    let (host, open) = (home.homePath + "/host.git", home.homePath + "/open.git")
    try await home.git("remote", "add", "origin", "diary::" + host, in: "a")
    try await home.git("remote", "set-url", "--push", "origin", open, in: "a")
    let refused = try await initSealed("a")
    #expect(
      refused.status == 1 && refused.errors.contains("git would push to another address in plain")
        && refused.errors.contains("address: " + open), "\(refused)")
    #expect(try await home.git("for-each-ref", in: "open.git") == "")
    #expect(try await hostRefs() == "")
    try await home.git("config", "--unset", "remote.origin.pushurl", in: "a")
    #expect(try await initSealed("a").status == 0)
    // The same for a later sync, and for an address that git puts in its place.
    try await home.git("config", "url.\(open).pushInsteadOf", "diary::" + host, in: "a")
    try await home.diary("new", "plover", "-m", "Lapwings.", in: "a")
    let sync = try await home.diary("sync", in: "a")
    #expect(sync.status == 1 && sync.errors.contains("nothing was pushed"), "\(sync)")
    #expect(try await home.git("for-each-ref", in: "open.git") == "")
    try await home.git("config", "--remove-section", "url.\(open)", in: "a")
    // Nor does it fetch from one, which would take the plain branch for the sealed one's.
    try await home.git("config", "url.\(open).insteadOf", "diary::" + host, in: "a")
    for options in [[], ["--accept-rewritten"]] {
      let replaced = try await home.run(Sandbox.programs + "/diary", ["sync"] + options, in: "a")
      #expect(replaced.status == 1 && replaced.errors.contains("nothing was pushed"), "\(replaced)")
    }
    #expect(try await home.git("for-each-ref", in: "open.git") == "")
    #expect(try await home.diary("key", in: "a").output.contains("diary::" + host))
    try await home.git("config", "--remove-section", "url.\(open)", in: "a")
    // And for a second address of the same remote.
    try await home.git("remote", "set-url", "--add", "origin", open, in: "a")
    let second = try await home.diary("sync", in: "a")
    #expect(second.status == 1 && second.errors.contains("nothing was pushed"), "\(second)")
    #expect(try await home.diary("key", in: "a").output.contains("diary::" + host))
    try await home.git("remote", "set-url", "--delete", "origin", open, in: "a")
    #expect(try await home.git("for-each-ref", in: "open.git") == "")
    #expect(try await home.diary("sync", in: "a").status == 0)
    // Nor is a plain repository cloned as a sealed one.
    try await home.git("push", "-q", open, "main", in: "a")
    try await home.git("config", "--global", "url.\(open).insteadOf", "diary::" + host, in: "")
    for words in [
      ["clone", "--sealed", "host.git", "c"], ["clone", "diary::host.git", "c"],
      ["init", "d", "--remote", "host.git", "--sealed", "--yes"],
    ] {
      let taken = try await home.run(Sandbox.programs + "/diary", words)
      #expect(taken.status == 1 && taken.errors.contains("in plain, instead of"), "\(taken)")
      #expect(!home.exists("c") && !home.exists("d"))
    }
  }

  @Test func `a key file that is not one key is refused before anything is pushed`() async throws {
    #expect(try await initSealed("a").status == 0)
    let file = try "\(keys)/\(#require(keyNames().first))"
    let foreign = try await home.run("age-keygen", []).output
    for text in ["", try key() + "\n" + foreign] {
      try await home.run("sh", ["-c", "rm -rf host.git b && git init -q --bare host.git"])
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      let refused = try await initSealed("b")
      #expect(refused.status == 1 && refused.errors.contains("is not one key of age"), "\(refused)")
      #expect(try await hostRefs() == "")
      #expect(try await home.git("remote", in: "b") == "")
    }
  }

  @Test func `a set-up that fails leaves the journal's settings as they were`() async throws {
    try await home.git("init", "-q", "--bare", "plain.git", in: "")
    #expect(try await home.diary("init", "a", "--remote", "plain.git").status == 0)
    let settings = try home.read("a/.diary/config.yml")
    try home.write("#!/bin/sh\nexit 1\n", to: "host.git/hooks/pre-receive")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: home.homePath + "/host.git/hooks/pre-receive")
    #expect(try await initSealed("a").status == 1)
    #expect(try home.read("a/.diary/config.yml") == settings)
    #expect(try await home.git("status", "--porcelain", in: "a") == "")
    // Nothing goes to a plain remote, unless the user says so.
    let sync = try await home.diary("sync", in: "a")
    #expect(sync.status == 1 && sync.errors.contains("the remote \"sealed\""), "\(sync)")
    try await home.diary("config", "sync.remote", "origin", in: "a")
    let plain = try await home.diary("sync", in: "a")
    #expect(plain.status == 0 && plain.errors.contains("with \"origin\""), "\(plain)")
    try await home.diary("config", "--unset", "sync.remote", in: "a")
    try home.write(settings, to: "a/.diary/config.yml")
    try await home.diary("save", in: "a")
    try FileManager.default.removeItem(atPath: home.homePath + "/host.git/hooks/pre-receive")
    try home.write("sync: {remote: origin}\n", to: ".config/diary/config.yml")
    // What is set for all journals does not lead this one to a plain remote.
    #expect(try await initSealed("a").status == 0)
    #expect(try await home.diary("sync", in: "a").errors.contains("with \"sealed\""))
    #expect(try home.read("a/.diary/config.yml") == settings)
  }

  // MARK: Two devices at once

  @Test func `a second set-up on this device uses the key that the first one made`() async throws {
    // The other one is faster: while this one makes its key.
    _ = try home.script(
      "age-keygen",
      "[ -e raced ] || { touch raced; \(Sandbox.programs)/diary init x --remote host.git --sealed --yes"
        + " >&2; }\nexec /usr/bin/age-keygen\n")
    let path = try #require(home.environment["PATH"])
    home.set("PATH", "\(home.homePath)/bin:\(path)")
    _ = try await initSealed("a")
    #expect(keyNames().count == 1, "\(keyNames())")
    home.set("PATH", path)
    #expect(try await home.diary("clone", "--sealed", "host.git", "b").status == 0)
  }

  @Test func `a device that sets up the host while another does is told, and gets no second key`()
    async throws
  {
    // The other device is faster: while this one makes its key.
    _ = try home.script(
      "age-keygen",
      "[ -e raced ] || { touch raced; \(otherDevice("init x --remote host.git --sealed --yes")) >&2; }\n"
        + "exec /usr/bin/age-keygen\n")
    let path = try #require(home.environment["PATH"])
    home.set("PATH", "\(home.homePath)/bin:\(path)")
    let late = try await initSealed("a")
    #expect(late.status == 1 && late.errors.contains("another device has set up"), "\(late)")
    #expect(keyNames() == [] && keyNames(in: "other").count == 1)
    #expect(try await home.git("remote", in: "a") == "")

    let known = try home.read("other/diary/keys/" + #require(keyNames(in: "other").first))
    #expect(try await home.diary("key", "add", input: known).status == 0)
    #expect(try await initSealed("a").status == 0)
  }

  @Test func `the same between the last look at the host and the push`() async throws {
    let variables = ["HOME", "PATH", "LANG", "DIARY_WEATHER__PROVIDER", "GIT_CONFIG_NOSYSTEM"]
      .map { "\($0)='\(home.environment[$0] ?? "")'" }.joined(separator: " ")
    try home.write(
      """
      #!/bin/sh
      rm hooks/pre-receive; cd '\(home.homePath)'
      env -i \(variables) XDG_CONFIG_HOME='\(home.homePath)/other' \
      \(Sandbox.programs)/diary init x --remote host.git --sealed --yes >&2

      """, to: "host.git/hooks/pre-receive")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: home.homePath + "/host.git/hooks/pre-receive")
    let late = try await initSealed("a")
    #expect(late.status == 1 && late.errors.contains("another device has set up"), "\(late)")
    #expect(keyNames() == [] && keyNames(in: "other").count == 1)
  }

  // MARK: clone

  @Test func `clone asks for the key only if none opens the remote, and stores the right one`()
    async throws
  {
    #expect(try await initSealed("a").status == 0)
    let right = try key()
    let other = try await home.run("age-keygen", []).output
    let wrong = try #require(other.split(separator: "\n").last)
    try FileManager.default.moveItem(
      atPath: home.homePath + "/.config", toPath: home.homePath + "/elsewhere")
    let terminal = try await Terminal(home, in: "", columns: 200)
    try await terminal.enter("diary clone --sealed host.git b; echo code $?")
    #expect(try await terminal.shows("it is not shown"))
    let typo = right.dropLast() + (right.hasSuffix("Q") ? "P" : "Q")
    try await terminal.enter(String(typo))
    #expect(try await terminal.shows("the key has a mistake: one or more of its characters"))
    try await terminal.enter(String(wrong))
    #expect(try await terminal.shows("This is a key, but not that of this remote."))
    #expect(keyNames() == [])
    // Ctrl-C ends each prompt, not the first alone.
    try await terminal.press("C-c")
    // What is typed before it has ended is discarded, as it may be a part of a key.
    #expect(
      try await Sandbox.holds { try await terminal.screen().split(separator: "\n").last == "$" })
    try await terminal.enter("clear; diary clone --sealed host.git b; echo code $?")
    #expect(try await terminal.shows("it is not shown"))
    try await terminal.enter(right.lowercased().split(separator: "-").joined(separator: " - "))
    #expect(try await terminal.shows("code 0"))
    #expect(try await !terminal.screen().contains(right.suffix(58)))
    #expect(try keyNames().count == 1 && key() == right)
    #expect(try mode("\(keys)/\(#require(keyNames().first))") == 0o600)
    await terminal.close()
    #expect(try await home.diary("clone", "--sealed", "host.git", "c").status == 0)
    let empty = try await home.diary("clone", "--sealed", "host.git", "c")
    #expect(empty.status == 1 && empty.errors.contains("is not empty"), "\(empty)")
  }

  @Test func `an empty host has nothing to clone`() async throws {
    let result = try await home.diary("clone", "--sealed", "host.git", "b")
    #expect(
      result.status == 1 && result.errors.contains("`diary init \(home.homePath)/b --remote"),
      "\(result)")
    #expect(!home.exists("b"))
  }

  // MARK: key

  @Test func `key names the remotes and their files, and the key itself on request only`()
    async throws
  {
    try await home.diary("init", "a")
    let none = try await home.diary("key", in: "a")
    #expect(none.status == 2 && none.errors.contains("--sealed"), "\(none)")
    #expect(try await initSealed("a").status == 0)
    let file = try "\(keys)/\(#require(keyNames().first))"
    let plain = try await home.diary("key", in: "a").output
    #expect(plain == "origin  diary::\(home.homePath)/host.git\n  \(file)\n")
    let rows = try await home.diary("key", "--show", in: "a").output.dropFirst(plain.count)
    #expect(try rows.filter { !$0.isWhitespace } == key())

    struct Row: Decodable, Equatable {
      var remote: String
      var url: String
      var key_file: String?
      var key: String?
    }
    for isShown in [false, true] {
      let json = try await home.run(
        Sandbox.programs + "/diary", ["key", "--json"] + (isShown ? ["--show"] : []), in: "a")
      let row = try Row(
        remote: "origin", url: "diary::\(home.homePath)/host.git", key_file: file,
        key: isShown ? key() : nil)
      #expect(try JSONDecoder().decode([Row].self, from: Data(json.output.utf8)) == [row])
    }

    // The copy tells which of several keys it is; the host is not asked.
    let foreign = try await home.run("age-keygen", []).output
    #expect(try await home.diary("key", "add", "-", input: foreign).status == 0)
    try FileManager.default.moveItem(atPath: file, toPath: keys + "/zz.txt")
    try FileManager.default.removeItem(atPath: home.homePath + "/host.git")
    #expect(try await home.diary("key", in: "a").output.contains("\(keys)/zz.txt"))
    try FileManager.default.removeItem(atPath: keys + "/zz.txt")
    #expect(try await home.diary("key", in: "a").output.contains("no key here opens it"))
  }

  @Test func `check tells a right key from a mistake, half a key and another key`() async throws {
    #expect(try await initSealed("a").status == 0)
    let key = try key()
    func check(_ text: String) async throws -> Sandbox.ProgramResult {
      try await home.diary("key", "check", in: "a", input: text)
    }
    #expect(try await check(key.lowercased() + "\n").status == 0)
    let foreign = try await home.run("age-keygen", []).output
    for (text, reason) in [
      (String(key.prefix(60)), "it has 60 characters, and 74 are right"),
      (key.replacing("AGE-SECRET", with: "AGE-PUBLIC"), "begins with AGE-SECRET-KEY-1"),
      (String(key.dropLast() + "B"), "one or more of its characters are wrong"),
      (foreign, "of no sealed remote of the journal"), ("\n", "no key was given"),
    ] {
      let result = try await check(text)
      #expect(result.status == 1 && result.errors.contains(reason), "\(reason): \(result)")
      #expect(!result.errors.contains(key.suffix(20)))
    }
  }

  @Test func `a key that others can read is said once, with the command that mends it`()
    async throws
  {
    #expect(try await initSealed("a").status == 0)
    for path in try [keys, "\(keys)/\(#require(keyNames().first))"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    let said = try await home.diary("key", in: "a").errors
    #expect(said.split(separator: "\n").count == 1, "\(said)")
    let command = try #require(said.split(separator: ": ").last)
    #expect(try await home.run("sh", ["-c", String(command)]).status == 0)
    #expect(try await home.diary("key", in: "a").errors == "")
    #expect(try mode(keys) == 0o700)
    // The file may be elsewhere.
    let file = try "\(keys)/\(#require(keyNames().first))"
    try await home.run("sh", ["-c", "mv '\(file)' mine; chmod 644 mine; ln -s ~/mine '\(file)'"])
    let linked = try #require(
      try await home.diary("key", in: "a").errors.split(separator: ": ").last)
    #expect(try await home.run("sh", ["-c", String(linked)]).status == 0)
    #expect(try await home.diary("key", in: "a").errors == "")
    #expect(try mode(home.homePath + "/mine") == 0o600)
  }

  @Test func `a key is stored once, with no other user's eyes on it`() async throws {
    let made = try await home.run("age-keygen", []).output
    let added = try await home.run(
      "sh", ["-c", "umask 0; exec diary key add"], input: made)
    #expect(added.status == 0 && added.output == "Stored in \(keys)/key.txt\n", "\(added)")
    #expect(try mode(keys) == 0o700 && mode(keys + "/key.txt") == 0o600)
    try home.write(made, to: "file")
    let again = try await home.diary("key", "add", "file")
    #expect(again.output == "It is here already, in \(keys)/key.txt\n", "\(again)")
    let second = try await home.run("age-keygen", []).output
    #expect(try await home.diary("key", "add", input: second).output.contains("key-2.txt"))
    let half = try await home.diary("key", "add", input: String(made.dropLast(9)))
    #expect(half.status == 1 && keyNames() == ["key-2.txt", "key.txt"], "\(half)")
  }

  @Test func `a key that is an argument is not repeated`() async throws {
    let key = try await home.run("age-keygen", []).output.split(separator: "\n").last.map(
      String.init)
    let line = try #require(key)
    // As `diary key` shows it.
    var groups = ["AGE-SECRET-KEY-1"]
    for letter in line.dropFirst(groups[0].count) {
      if groups.count == 1 || groups[groups.count - 1].count == 4 { groups.append("") }
      groups[groups.count - 1].append(letter)
    }
    for words in [
      ["key", "add", line], ["key", "check", line.lowercased()], ["-j", "x", "key", " " + line],
      ["addkey", line], [line], ["unlock", "key=" + line], ["--journal=" + line, "list"],
      ["key", "add"] + groups, groups.map { $0.lowercased() },
      ["search", groups.joined(separator: " ")],
      ["key", "check", groups.joined(separator: "\n").lowercased()],
      ["-j" + groups[0]] + groups.dropFirst(),
    ] {
      let done = try await home.run(Sandbox.programs + "/diary", words)
      #expect(
        done.status == 1 && done.errors.contains("a key must not stand in a command"), "\(done)")
      let said = done.errors.lowercased()
      #expect(!said.contains(line.lowercased().suffix(20)), "\(done)")
      #expect(!groups.dropFirst().contains { said.contains($0.lowercased()) }, "\(done)")
    }
    #expect(keyNames() == [])
    try await home.diary("init", "a")
    let text = "My AGE-SECRET-KEY-1 is on paper in the 2nd drawer of the desk in my study."
    let mentioned = try await home.diary("new", "x", "-m", text, in: "a")
    #expect(mentioned.status == 0, "\(mentioned)")
  }

  // MARK: Beside it

  @Test func `a backup holds nothing of the sealed remote`() async throws {
    #expect(try await initSealed("a").status == 0)
    try await home.diary("new", "plover", "-m", "Lapwings.", in: "a")
    #expect(try await home.diary("sync", in: "a").status == 0)
    #expect(try await home.git("for-each-ref", "refs/diary/sealed", in: "a") != "")
    let saved = try await home.diary("export", "--format", "backup", "../backup.zip", in: "a")
    #expect(saved.status == 0, "\(saved)")
    try await home.run("unzip", ["-q", "backup.zip", "-d", "backup"])
    let path = try #require(home.files(in: "backup").first { $0.hasSuffix("history.bundle") })
    let heads = try await home.git("bundle", "list-heads", "../backup/" + path, in: "a")
    #expect(heads.contains("refs/heads/main") && !heads.contains("refs/diary/sealed"), "\(heads)")
  }

  // MARK: The path

  @Test func `if plain git does not find the helper, init prints the line that helps`()
    async throws
  {
    home.set("PATH", ProcessInfo.processInfo.environment["PATH"])
    let made = try await home.run(
      Sandbox.programs + "/diary", ["init", "a", "--remote", "host.git", "--sealed", "--yes"])
    let line = try #require(
      made.errors.split(separator: "\n").first { $0.contains("export PATH=") }?
        .split(separator: ": ").last)
    #expect(try await home.run("git", ["ls-remote", "origin"], in: "a").status != 0)
    // Also if the first push fails, whose error has a command for plain git.
    try await home.git("init", "-q", "--bare", "second.git", in: "")
    try await home.git("init", "-q", "own", in: "")
    try await home.git("commit", "-q", "--allow-empty", "-m", "Mine", in: "own")
    let own = try await home.run(
      Sandbox.programs + "/diary", ["init", "own", "--yes", "--remote", "second.git", "--sealed"])
    #expect(own.status == 1 && own.errors.contains("git -C "), "\(own)")
    #expect(own.errors.contains(line), "\(own)")
    let found = try await home.run("sh", ["-c", "\(line); git ls-remote origin"], in: "a")
    #expect(found.status == 0 && found.output.contains("refs/heads/main"), "\(found)")
  }
}
