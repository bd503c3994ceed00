/// A word at the beginning of the helper's own lines in the errors of git, by which Diary tells them from
/// those of a host: ssh passes on what a host prints. It is new in each process of Diary.
package enum HelperMark {
  /// The variable with which Diary passes it to the helper, which passes it to no other program.
  package static let variable = "GIT_REMOTE_DIARY_MARK"
  package static let own = "\(UInt64.random(in: 0 ... .max)) "
}
