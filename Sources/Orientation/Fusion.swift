public struct Fusion: Equatable, Sendable {
  public struct Configuration: Equatable, Sendable { public init() {} }
}
