/// The author of a commit.
package struct GitSignature: Sendable, Equatable {
  /// The name in the commit.
  package let name: String
  /// The email address; made from user and machine if none is configured.
  package let email: String

  package init(name: String, email: String) {
    self.name = name
    self.email = email
  }
}
