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

  #if !hasFeature(Embedded)
    /// The model that board files and streams call `name`; nil if there is none.
    public init?(named name: String) { self.init(named: ShortText<24>(cutting: name)) }
  #endif
}
