import CLibgit2

extension GitLibrary {
  /// The version of libgit2, such as `1.5.1`.
  package static var version: String {
    var numbers: (Int32, Int32, Int32) = (0, 0, 0)
    git_libgit2_version(&numbers.0, &numbers.1, &numbers.2)
    return "\(numbers.0).\(numbers.1).\(numbers.2)"
  }
}
