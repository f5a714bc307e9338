internal import CSupport
public import Text

/// The GPIO chip of a Raspberry Pi's header, whose label depends on the model.
public enum HeaderChip {
  /// Stands for the label of the header's chip on any model.
  public static var anyModel: StaticString { "raspberry-pi" }

  /// Whether `label` is that of a header's chip on some model.
  public static func isLabelled(_ label: ShortText<32>) -> Bool {
    unsafe label.withCString { unsafe csupport_gpio_is_header($0) }
  }

  /// The labels of all models' headers, as in "a, b or c", with the models in parentheses if requested.
  package static func labels(withModels: Bool = false) -> ShortText<384> {
    var text = ShortText<384>()
    var index = 0
    while let label = unsafe csupport_gpio_header_label(index), let models = unsafe csupport_gpio_header_models(index) {
      let isLast = unsafe csupport_gpio_header_label(index &+ 1) == nil
      if index > 0 { text.append(isLast ? " or " : ", ") }
      text.append(unsafe ShortText<32>(cString: label))
      if withModels { text.append(" (\(unsafe ShortText<32>(cString: models)))") }
      index &+= 1
    }
    return text
  }
}
