import git_remote_diary

@main
struct SealedRemoteProgram {
  static func main() { GitRemoteDiary.main { Array(CommandLine.arguments.dropFirst()) } }
}
