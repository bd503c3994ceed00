import Foundation
import TestSupport
import Testing

/// What a host may do to the carrier, and what may happen to the files here.
@Suite struct SealedCarrierTests {
  /// Fetches on device `b`, which must fail and change nothing there.
  private func refuses(
    _ world: SealedWorld, _ words: String, device: String = "b", line: Int = #line
  ) async throws {
    let refs = try await world.git(device, "for-each-ref").output
    let fetch = try await world.git(device, "fetch")
    #expect(fetch.status != 0 && fetch.errors.contains(words), "line \(line): \(fetch)")
    let push = try await world.git(device, "push", "origin", "HEAD:refs/heads/new")
    #expect(push.status != 0 && push.errors.contains(words), "line \(line): \(push)")
    #expect(try await world.git(device, "for-each-ref").output == refs)
    #expect(
      world.home.files(in: "\(device)/.git/diary/sealed").filter { $0.contains(".work") } == [])
  }

  /// Two devices that have seen three pushes.
  private func threePushes() async throws -> SealedWorld {
    let world = try await SealedWorld()
    try await world.pair()
    for number in 2...3 {
      try await world.commit("a", "file", "\(number)")
      try await world.home.git("push", "--quiet", in: "a")
      try await world.home.git("pull", "--quiet", in: "b")
    }
    return world
  }

  /// Makes a commit on the host's branch as a program without the key can.
  private func forge(_ world: SealedWorld, _ script: String) async throws {
    let run = try await world.home.run("sh", ["-euc", script], in: "host")
    guard run.status == 0 else { throw ProgramFailed(message: run.errors) }
  }

  @Test func `a host that goes back is refused, and what this device has can be pushed on top`()
    async throws
  {
    let world = try await threePushes()
    let tip = try await world.tip("b", "HEAD")
    try await forge(world, "git update-ref refs/heads/sealed sealed~1")
    try await refuses(
      world, "an older or another state of this sealed remote: push 2, and push 3 was seen")
    try await world.home.git("-c", "diary.acceptRewritten=true", "fetch", "--quiet", in: "b")
    #expect(try await world.remoteRefs()["refs/heads/main"] == world.tip("b", "HEAD~"))
    try await world.home.git("push", "--quiet", "origin", "main", in: "b")
    #expect(try await world.remoteRefs()["refs/heads/main"] == tip)
    try await world.clone("c")
    #expect(try await world.tip("c", "HEAD") == tip)
  }

  @Test func `a host that goes back is refused without the local copy, too`() async throws {
    let world = try await threePushes()
    try await forge(world, "git update-ref refs/heads/sealed sealed~1")
    let folder = world.home.homePath + "/b/.git/diary/sealed"
    for name in try FileManager.default.contentsOfDirectory(atPath: folder)
    where name.hasSuffix(".git") {
      try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
    }
    try await refuses(world, "an older or another state of this sealed remote")
  }

  @Test func `an emptied host is refused, and filled again on request`() async throws {
    let world = try await threePushes()
    try await forge(world, "git update-ref -d refs/heads/sealed")
    try await refuses(world, "the host is empty, and had 3 pushes")
    try await world.home.git(
      "-c", "diary.acceptRewritten=true", "push", "--quiet", "origin", "main", in: "b")
    try await world.clone("c")
    #expect(try await world.tip("c", "HEAD") == world.tip("b", "HEAD"))
  }

  @Test func `an older state in a new commit is refused`() async throws {
    let world = try await threePushes()
    try await forge(
      world,
      "git update-ref refs/heads/sealed $(echo sealed | git commit-tree -p sealed 'sealed~1^{tree}')"
    )
    try await refuses(world, "it belongs to another commit")
    try await forge(
      world,
      "git update-ref refs/heads/sealed $(echo sealed | git commit-tree -p sealed~2 'sealed~1^{tree}')"
    )
    try await refuses(world, "push 3, and push 3 was seen there")
  }

  @Test func `bundles that are swapped, removed, added or renamed are refused`() async throws {
    for change in [
      "sed s/1.001/9.001/", "sed '$d'", "sed 'p;s/1.001/9.001/'", "sed s/2.001/1.001/",
    ] {
      let world = try await threePushes()
      // The newest commit is replaced by one with the same parent.
      try await forge(
        world,
        """
        bundles=$(git ls-tree sealed:bundles | \(change) | sort -u -k4 | git mktree)
        [ $bundles != $(git rev-parse sealed:bundles) ]
        tree=$(git ls-tree sealed | sed "s/tree .*\\t/tree $bundles\\t/" | git mktree)
        git update-ref refs/heads/sealed $(echo sealed | git commit-tree -p sealed~ $tree)
        """)
      let clone = try await world.git("", "clone", world.address, "c")
      #expect(
        clone.status != 0
          && clone.errors.contains("they are not those that the list of refs names"),
        "\(change) \(clone)")
      try await refuses(world, "they are not those that the list of refs names")
    }
  }

  @Test func `a bundle that is cut off is refused even if its list of refs was made for it`()
    async throws
  {
    let world = try await threePushes()
    let key = world.home.homePath + "/.config/diary/keys/key.txt"
    // The writer knows the key.
    try await forge(
      world,
      """
      old=$(git rev-parse sealed:bundles/000003.001)
      new=$(git cat-file blob $old | head -c 2000 | git hash-object -w --stdin)
      bundles=$(git ls-tree sealed:bundles | sed s/$old/$new/ | git mktree)
      refs=$(git cat-file blob sealed:refs.age | age -d -i \(key) | tr -d '\\0' | sed 1d |
        sed "s/^bundles .*/bundles $bundles/")
      refs=$( { printf '%020d\\n' $((${#refs} + 1)); echo "$refs"; } | age -e -i \(key) | git hash-object -w --stdin)
      tree=$(printf '040000 tree %s\\tbundles\\n100644 blob %s\\trefs.age\\n' $bundles $refs | git mktree)
      git update-ref refs/heads/sealed $(echo sealed | git commit-tree -p sealed~ $tree)
      """)
    let clone = try await world.git("", "clone", world.address, "c")
    #expect(
      clone.status != 0
        && clone.errors.contains(
          "000003.001 is damaged or not from your devices: the key does not open it"),
      "\(clone)")
  }

  @Test func `a list of refs that is not one, and a branch of something else, are refused`()
    async throws
  {
    let world = try await threePushes()
    let key = world.home.homePath + "/.config/diary/keys/key.txt"
    for text in ["", "diary-sealed 2", "diary-sealed 1\\ncarrier x"] {
      try await forge(
        world,
        """
        refs=$(printf '\(text)' | age -e -i \(key) | git hash-object -w --stdin)
        tree=$(git ls-tree sealed | sed "s/blob [0-9a-f]*/blob $refs/" | git mktree)
        git update-ref refs/heads/sealed $(echo sealed | git commit-tree -p sealed $tree)
        """)
      try await refuses(world, "its text is not a list of refs")
    }
    try await forge(
      world, "git update-ref refs/heads/sealed $(echo x | git commit-tree -p sealed sealed:bundles)"
    )
    try await refuses(world, "it is not the branch of a sealed remote")
  }

  @Test func `another sealed remote in its place is refused`() async throws {
    let world = try await threePushes()
    try await world.home.git("init", "--quiet", "--bare", "other", in: "")
    for number in 1...5 {
      try await world.commit("a", "file", "other \(number)")
      try await world.home.git(
        "push", "--quiet", "diary::\(world.home.homePath)/other", "main", in: "a")
    }
    try await forge(world, "git fetch --quiet ../other +sealed:sealed")
    try await refuses(world, "the host offers another sealed remote than before")
  }

  // MARK: Keys

  @Test func `without its key a remote stays closed`() async throws {
    let world = try await threePushes()
    let key = world.home.homePath + "/.config/diary/keys/key.txt"
    let text = try String(contentsOfFile: key, encoding: .utf8)
    try String(text.dropLast(20)).write(toFile: key, atomically: true, encoding: .utf8)
    try await refuses(world, "key.txt is no whole key")
    try FileManager.default.removeItem(atPath: key)
    try await refuses(world, "there is no key for this sealed remote")
    try await world.makeKey("key")
    try await refuses(world, "this remote is sealed with another key")
    try text.write(toFile: key + ".more.txt", atomically: true, encoding: .utf8)
    try await world.home.git("fetch", "--quiet", in: "b")
    try await world.commit("b", "two", "x")
    try await world.home.git("push", "--quiet", in: "b")
    try FileManager.default.removeItem(atPath: key)
    try await world.home.git("pull", "--quiet", in: "a")
  }

  @Test func `two devices that set up one host at once do not get two keys`() async throws {
    let world = try await SealedWorld()
    try await world.device("a")
    try await world.commit("a", "one", "of a")
    try await world.device("b")
    try await world.commit("b", "one", "of b")
    try await world.makeKey("key", in: "b-settings")
    let settings = world.home.homePath + "/b-settings"
    try world.hook(
      "pre-receive", in: "host",
      "rm host/hooks/pre-receive; other -C a push --quiet origin main")
    world.home.set("XDG_CONFIG_HOME", settings)
    let push = try await world.git("b", "push", "origin", "main")
    #expect(push.status != 0 && push.errors.contains("sealed with another key"), "\(push)")
    world.home.set("XDG_CONFIG_HOME", nil)
    #expect(try await world.remoteRefs()["refs/heads/main"] == world.tip("a", "HEAD"))
  }

  @Test func `without age a sentence says what to install`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    let folder = world.home.homePath + "/few"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, place) in [
      ("git", "/usr/bin/git"), ("git-remote-diary", Sandbox.programs + "/git-remote-diary"),
    ] {
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/\(name)", withDestinationPath: place)
    }
    world.home.set("PATH", folder)
    let fetch = try await world.home.run("/usr/bin/git", ["fetch"], in: "b")
    #expect(fetch.status != 0 && fetch.errors.contains("age is not installed"), "\(fetch)")
    #expect(fetch.errors.contains("hint: install it (Debian: `sudo apt install age`)"))
  }

  // MARK: Kills and damage

  /// The helper that pushes is the third process above a hook of the host.
  private static let kill = """
    rm host/hooks/$(basename $0)
    process=$PPID
    while [ $process -gt 1 ]; do
      [ "$(cut -c 1-12 /proc/$process/comm)" = git-remote-d ] && kill -9 $process && exit 0
      process=$(ps -o ppid= -p $process | tr -d ' ')
    done
    """

  @Test(arguments: ["pre-receive", "post-receive"])
  func `a killed push leaves nothing in the way, and loses nothing`(_ hook: String) async throws {
    let world = try await SealedWorld()
    try await world.pair()
    let new = try await world.commit("a", "two", "x")
    try world.hook(hook, in: "host", Self.kill)
    let push = try await world.git("a", "push", "--quiet")
    #expect(push.status != 0, "\(push)")
    #expect(await Sandbox.holds { (try? await world.carrierCount()) == 2 })
    try await world.home.git("push", "--quiet", in: "a")
    #expect(try await world.remoteRefs()["refs/heads/main"] == new)
    try await world.home.git("pull", "--quiet", in: "b")
    #expect(try await world.tip("b", "HEAD") == new)
    #expect(!world.home.files(in: "a/.git/diary/sealed").contains { $0.contains(".work") })
    #expect(try await world.git("a", "fsck").status == 0)
  }

  @Test func `a damaged copy is fetched again`() async throws {
    let world = try await threePushes()
    let folder = world.home.homePath + "/b/.git/diary/sealed"
    let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    var count = 0
    for file in files where file.contains("/objects/") && file.split(separator: "/").count == 4 {
      let path = "\(folder)/\(file)"
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      try Data().write(to: URL(fileURLWithPath: path))
      count += 1
    }
    #expect(count > 0)
    try await world.commit("a", "file", "4")
    try await world.home.git("push", "--quiet", in: "a")
    try await world.home.git("pull", "--quiet", in: "b")
    #expect(try await world.tip("a", "HEAD") == world.tip("b", "HEAD"))
  }

  @Test func `locks of killed gits are removed`() async throws {
    let world = try await threePushes()
    let folder = world.home.homePath + "/b/.git/diary/sealed"
    let copy = try #require(
      FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".git") })
    for name in ["shallow.lock", "config.lock", "refs/heads/sealed.lock"] {
      try world.home.write("", to: "b/.git/diary/sealed/\(copy)/\(name)")
    }
    try world.home.write("x", to: "b/.git/diary/sealed/\(copy.dropLast(4)).work/plain")
    try world.home.write("", to: "b/.git/refs/diary/sealed/\(copy.dropLast(4))/x/0.lock")
    try await world.commit("b", "file", "4")
    try await world.home.git("push", "--quiet", in: "b")
    try await world.home.git("pull", "--quiet", in: "a")
    #expect(!world.home.exists("b/.git/diary/sealed/\(copy.dropLast(4)).work"))
  }

  @Test func `a host that is full or gone says so, and the next push sends all`() async throws {
    let world = try await SealedWorld()
    try await world.pair()
    let new = try await world.commit("a", "two", "x")
    try world.hook(
      "pre-receive", in: "host", "rm host/hooks/pre-receive; echo 'No space left on device'; exit 1"
    )
    let full = try await world.git("a", "push")
    #expect(full.status != 0 && full.errors.contains("No space left on device"), "\(full)")
    try FileManager.default.moveItem(
      atPath: world.home.homePath + "/host", toPath: world.home.homePath + "/away")
    let gone = try await world.git("a", "push")
    #expect(
      gone.status != 0 && gone.errors.contains("does not appear to be a git repository"), "\(gone)")
    try FileManager.default.moveItem(
      atPath: world.home.homePath + "/away", toPath: world.home.homePath + "/host")
    try await world.home.git("push", "--quiet", in: "a")
    #expect(try await world.remoteRefs()["refs/heads/main"] == new)
  }
}
