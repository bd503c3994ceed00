extension Sandbox {
  /// Puts a `diary` on the path that runs the built one, and the git that it starts, with a fixed
  /// clock.
  ///
  /// - Parameter seconds: the Unix time of the clock.
  public func stopClock(at seconds: Int) async throws {
    try write(Self.clockSource, to: "clock.c")
    let built = try await run(
      "cc", ["-shared", "-fPIC", "-DNOW=\(seconds)", "-o", "clock.so", "clock.c"])
    guard built.status == 0 else { throw ProgramFailed(message: built.errors) }
    _ = try script(
      "diary", "LD_PRELOAD=\(homePath)/clock.so exec \(Self.programs)/diary \"$@\"\n")
    set("PATH", homePath + "/bin:" + (environment["PATH"] ?? ""))
  }

  /// A preloaded library that fixes the wall clock of the C library. Monotonic clocks keep running.
  private static let clockSource = """
    #define _GNU_SOURCE
    #include <sys/syscall.h>
    #include <sys/time.h>
    #include <time.h>
    #include <unistd.h>

    int clock_gettime(clockid_t clock, struct timespec *now) {
      if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
        return syscall(SYS_clock_gettime, clock, now);
      *now = (struct timespec){.tv_sec = NOW};
      return 0;
    }

    int gettimeofday(struct timeval *now, void *zone) {
      *now = (struct timeval){.tv_sec = NOW};
      return 0;
    }

    time_t time(time_t *now) {
      if (now) *now = NOW;
      return NOW;
    }

    """
}
