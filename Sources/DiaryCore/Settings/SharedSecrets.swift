import Localization

/// True if a setting's name looks like that of a secret. A secret in the shared settings is
/// ignored, because everybody with access to the journal has seen it.
func isSecretName(_ key: String) -> Bool {
  let key = key.lowercased()
  return ["key", "token", "password", "secret", "passphrase"].contains { key.hasSuffix($0) }
}

func sharedSecretMessage(_ key: String, _ personalName: String) -> String {
  localized(
    "\(key) is a secret and is not read from a shared file: move it to \(personalName) "
      + "and replace it, because everyone with this journal may have seen it")
}
