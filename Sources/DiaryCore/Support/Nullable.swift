/// A value that JSON contains as `null` if there is none. Synthesized coding would omit its name.
@propertyWrapper
package struct Nullable<Value: Encodable>: Encodable {
  package var wrappedValue: Value?

  package init(wrappedValue: Value?) { self.wrappedValue = wrappedValue }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

extension Nullable: Sendable where Value: Sendable {}
