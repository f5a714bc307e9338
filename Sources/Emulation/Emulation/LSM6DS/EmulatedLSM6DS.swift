public import FixedPoint
public import HAL

/// An emulated part of the LSM6DS family on a moving board: registers, sample clocks, both layouts of the FIFO, wake-up
/// interrupt and INT2.
///
/// **Registers.** The pointer advances while IF_INC is set; at the FIFO's data it goes round. While FUNC_CFG_ACCESS
/// selects another page, every other register reads 0 and ignores writes. SW_RESET takes 50 µs, in which writes are
/// ignored. BOOT does nothing.
///
/// **Samples.** Sensors that run at the same rate take their samples together, others by their own clocks. For BDU and
/// STATUS_REG see ``OutputLatch``; if ``Specimen/byteTime`` is not 0, a burst can be torn. The first two forces
/// after power-down are 0.25 g too large, and rotations begin 50 °/s too large and settle within 80 ms.
///
/// **FIFO.** It stores sensors whose batch rate is their own rate (choice). Without tags, an overrun makes the number of
/// words 0.
///
/// **Wake-up.** Half the difference of two samples is compared with the threshold, without WAKE_UP_DUR. Reading
/// WAKE_UP_SRC clears a latched event; so does ALL_INT_SRC in the later parts.
///
/// **I3C.** A later part whose INT1 is high (``Configuration/isINT1High``) when SW_RESET is written without
/// I3C_DISABLE reads 0xFF everywhere until it loses its supply; a real one would not even acknowledge.
///
/// Not emulated: bandwidth, the rate of 1.6 Hz, time stamps, decimation, temperature in the FIFO, other events, INT1,
/// sensor hub and embedded functions.
///
/// - Datasheet: LSM6DS33 Rev. 4, LSM6DS3TR-C Rev. 3; AN5130 Rev. 1; for the later parts lsm6dso_reg.h and
///   ism330dhcx_reg.h of STMicroelectronics.
public final class EmulatedLSM6DS: EmulatedSensor {
  /// The address with SDO low: 0x6A.
  public static let address = I2CAddress(fromDatasheet: 0x6A)

  /// A part in power-down on a board that starts `motion` at the present time of `now`.
  public init(
    _ specimen: Specimen = Specimen(), of part: Part = .lsm6dso, motion: any Motion,
    configuration: Configuration = Configuration(), seed: UInt64 = 1, now: @escaping () -> Instant
  ) {
    var configuration = configuration
    specimen.defect?.spoil(&configuration.selfTest, rotation: &configuration.rotationSelfTest)
    let state = ChipState(part.map, specimen, motion: motion, at: now(), seed: seed)
    super.init(Chip(part, configuration, state), now: now)
  }

  /// A member of the family; the raw value is its WHO_AM_I.
  public enum Part: UInt8, Sendable {
    /// LSM6DS33: FIFO of 8 kB without tags.
    case lsm6ds33 = 0x69
    /// LSM6DS3TR-C: FIFO of 4 kB without tags.
    case lsm6ds3trC = 0x6A
    /// ISM330DHCX.
    case ism330dhcx = 0x6B
    /// LSM6DSO, and LSM6DSOX without its machine learning: FIFO of 512 words with tags.
    case lsm6dso = 0x6C
  }

  /// The properties of this piece, in addition to those of its specimen.
  public struct Configuration: Equatable, Sendable {
    /// The force that the positive self-test adds and the negative one subtracts, in g. Default 0.3, -0.3 and 0.6.
    public var selfTest = Vector3(x: Q16(3, over: 10), y: Q16(-3, over: 10), z: Q16(3, over: 5))
    /// The same for the rotation, in °/s. Default 400, -300 and 500.
    public var rotationSelfTest = Vector3(x: Q16(whole: 400), y: Q16(whole: -300), z: Q16(whole: 500))
    /// Whether something pulls INT1 high. Default false.
    public var isINT1High = false
    /// Whether SW_RESET never ends. Default false.
    public var resetsForever = false

    /// The defaults.
    public init() {}
  }
}

extension EmulatedLSM6DS.Part {
  var hasTags: Bool { self == .lsm6dso || self == .ism330dhcx }

  /// In bytes.
  var fifoCapacity: Int { self == .lsm6ds33 ? 8_192 : self == .lsm6ds3trC ? 4_096 : 512 * 7 }

  /// LSB/°C.
  var temperatureScale: Int64 { self == .lsm6ds33 ? 16 : 256 }

  /// µg/√Hz and µ°/s/√Hz.
  var noise: (force: Int32, rotation: Int32) {
    (90, self == .lsm6ds33 ? 7_000 : self == .lsm6ds3trC ? 5_000 : 3_800)
  }

  /// The registers; those that are missing are reserved.
  var map: RegisterMap {
    typealias Row = RegisterMap.Row
    let axesOn: UInt8 = self == .lsm6ds33 ? 0x38 : 0
    var rows: [Row] = [
      .registers(0x0D, 0x0E, 0x10, 0x13, 0x14, 0x15, 0x16, 0x17, writable: 0xFF),
      .registers(0x11, writable: self == .ism330dhcx ? 0xFF : 0xFE), .registers(0x19, writable: 0xFF, reset: axesOn),
      .registers(0x12, writable: hasTags ? 0xFD : 0xFF, reset: 0x04, selfClearing: 0x80),
      .registers(0x58...0x5F, writable: 0xFF),
    ]
    if hasTags {
      rows += [
        .registers(0x01, writable: 0xC0), .registers(0x02, writable: 0xC0, reset: 0x3F),
        .registers(0x07...0x0C, writable: 0xFF), .registers(0x18, writable: 0xFF, reset: 0xE0),
        .registers(0x56, 0x57, writable: 0xFF),
      ]
    } else {
      rows += [
        .registers(0x01, writable: self == .lsm6ds33 ? 0x80 : 0xE0), .registers(0x06, writable: 0xFF),
        .registers(0x07, writable: 0xCF), .registers(0x08, writable: 0x3F), .registers(0x0A, writable: 0x7F),
        .registers(0x09, writable: self == .lsm6ds33 ? 0x3F : 0xFF), .registers(0x0B, writable: 0xBF),
        .registers(0x18, writable: 0xFF, reset: axesOn),
      ]
    }
    return RegisterMap(
      identity: 0x0F, increment: .whileSet(.init(0x12, 0x04)),
      steps: [hasTags ? .init(at: 0x7E, to: 0x78) : .init(at: 0x3F, to: 0x3E)], rows: rows)
  }
}
