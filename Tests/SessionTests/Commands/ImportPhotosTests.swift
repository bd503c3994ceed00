import Foundation
import TestSupport
import Testing

/// A zip of thousands of photos needs little memory: keeping a fiftieth of the photos would exceed
/// the limit at 2,000. `DIARY_IMPORT_PHOTOS=20000` makes a zip of 2 GB.
@Suite struct ImportPhotosTests {
  static let photos =
    ProcessInfo.processInfo.environment["DIARY_IMPORT_PHOTOS"].flatMap { Int($0) } ?? 2000

  @Test func `an archive of photos is imported within 150 MB of memory`() async throws {
    let home = try Sandbox()
    try await home.diary("init", "j")
    let program = """
      import zipfile, json, random, sys, subprocess, resource
      count, diary = int(sys.argv[1]), sys.argv[2]
      entries = []
      with zipfile.ZipFile("x.zip", "w", zipfile.ZIP_STORED) as z:
        for i in range(count // 4):
          photos = []
          for k in range(i * 4, i * 4 + 4):
            z.writestr("photos/%032x.jpeg" % k, random.Random(k).randbytes(100_000))
            photos.append({"identifier": "P%d" % k, "md5": "%032x" % k, "type": "jpeg"})
          links = "".join("![](dayone-moment://%s)\\n\\n" % p["identifier"] for p in photos)
          date = "20%02d-%02d-%02dT03:00:00Z" % (i % 20 + 1, i % 12 + 1, i % 28 + 1)
          entries.append({"uuid": "U%d" % i, "creationDate": date, "timeZone": "Asia/Seoul",
            "text": "# Entry %d\\n\\n" % i + "Words of the day. " * 30 + links, "photos": photos})
        z.writestr("Journal.json", json.dumps({"metadata": {}, "entries": entries}))
      done = subprocess.run([diary, "import", "../x.zip"], cwd="j", capture_output=True, text=True)
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
      print(done.stdout + done.stderr)
      """
    let result = try await home.run(
      "python3", ["-c", program, "\(Self.photos)", Sandbox.programs + "/diary"])
    let lines = result.output.split(separator: "\n")
    let megabytes = try #require(lines.first.flatMap { Int($0) }, "\(result)")
    #expect(megabytes < 150, "\(megabytes) MB")
    #expect(result.output.contains("Imported \(Self.photos / 4) entries."), "\(result)")
    #expect(result.output.contains("pictures)."), "\(result)")
    #expect(home.files(in: "j").count { $0.hasSuffix(".jpeg") } == Self.photos)
    #expect(try await home.git("status", "--porcelain", in: "j") == "")
    #expect(try await home.git("log", "--oneline", in: "j").split(separator: "\n").count == 2)
  }
}
