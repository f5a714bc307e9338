public import Sensors

// All models, for settings files and streams.
extension SensorModel {
  /// All models.
  public static var all: SettingsCases<SensorModel> { SettingsCases() }

  /// The model that board files and streams call `name`; nil if there is none.
  public init?<let size: Int>(named name: ShortText<size>) {
    var models = Self.all
    guard let model = models.next(where: { name == $0.name }) else { return nil }
    self = model
  }

  /// "a" or "an", as before the name, which is read letter by letter.
  public var article: StaticString { Self.article(before: name) }

  /// "a" or "an", as before `name`.
  package static func article(before name: StaticString) -> StaticString {
    let vowels: ShortText<16> = "aefhilmnorsx8"
    let initial = ShortText<32>(name)[0]
    for index in 0..<vowels.count where vowels[index] == initial { return "an" }
    return "a"
  }

  #if !hasFeature(Embedded)
    /// The model that board files and streams call `name`; nil if there is none.
    public init?(named name: String) { self.init(named: ShortText<24>(cutting: name)) }
  #endif
}
