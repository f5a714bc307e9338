import Orientation
import PlumbViews

/// A scene with fixed values, so its picture is the same on every computer.
enum Scenes {
  /// Upright for eight seconds, then within three seconds to the right edge up, with a fault on the way.
  static var turned: Scene {
    var scene = Scene()
    scene.title = "ADXL345 at 0x53, emulated, 100 Hz, ±16 g, motion tumble"
    scene.elapsed = 19.9
    scene.lamps = ["P", "U", "L", "R", "F", "D"].enumerated().map { Scene.Lamp($1, isLit: $0 == 2, pose: $0) }
    scene.history = History(interval: 0.1)
    var attitude = BoardAttitude.upright
    for step in 0..<200 {
      let part = min(1, max(0, (Double(step) - 80) / 30))
      let ripple = Double(step * step % 7 - 3) / 200
      let force = Scene.Force(part + ripple, 1 - part, 0.2 * part - ripple)
      attitude.follow(force, after: 0.1)
      let pose: Int? = part < 0.3 ? 0 : part < 0.6 ? nil : 2
      scene.history.take((130..<134).contains(step) ? nil : force, pose, at: (Double(step) + 0.5) / 10)
    }
    scene.attitude = attitude
    scene.force = Scene.Force(1, 0, 0.2)
    scene.pose = .known(2, name: "landscape, left edge down", meaning: "right edge up")
    scene.angles = [("angle", -90), ("pitch", 0), ("roll", -78.7), ("inclination", 78.7)]
    scene.steering = -32.4
    scene.scroll = (0.3, 0.95)
    scene.counters = [
      ("samples", 1_986), ("late", 0), ("faults", 3), ("recovery", 1), ("transactions", 2_012), ("shakes", 0),
    ]
    scene.notes = [
      Scene.Note(13.0, "no acknowledge from 0x53: check power, SDA, SCL and the sensor's address", .trouble),
      Scene.Note(13.41, "recovered after 0.41 s", .relief),
    ]
    return scene
  }

  /// The same during a sensor fault, recorded, frozen, with help.
  static var troubled: Scene {
    var scene = turned
    scene.pose = .unknown("sensor fault")
    scene.force = nil
    scene.notes.removeLast()
    scene.recording = "plumb-20261121-154512.csv"
    scene.isPaused = true
    for index in scene.lamps.indices { scene.lamps[index].isLit = true }
    return scene
  }

  /// The same with a gyroscope, whose values have their greatest width.
  static var fused: Scene {
    var scene = turned
    scene.title = "MPU-6050 at 0x68, emulated, 100 Hz, ±8 g, motion carried"
    scene.attitude.show(up: Scene.Force(1, 0, 0), heading: 0.5)
    var fusion = Scene.Fusion()
    (fusion.certainty, fusion.heading) = (.moving, -123.4)
    fusion.bias = Scene.Force(-39.99, 20.05, -0.6)
    (fusion.temperature, fusion.clippedSamples) = (-12.5, 1_024)
    scene.fusion = fusion
    return scene
  }

  /// The same before the bias is known, without unmeasured values.
  static var starting: Scene {
    var scene = fused
    scene.fusion = Scene.Fusion()
    return scene
  }

  /// The same with many notes, scrolled back.
  static var scrolled: Scene {
    var scene = turned
    scene.notes = (0..<30).map { Scene.Note(Double($0) / 2, "shake \($0)", .remark) } + scene.notes
    (scene.newerNotes, scene.newerSlices) = (12, 60)
    return scene
  }

  /// The same with the help on top.
  static var helpful: Scene {
    var scene = turned
    scene.showsHelp = true
    return scene
  }
}

extension Grid {
  /// The characters as lines of text, without trailing blanks.
  var text: String {
    (0..<height).map { row in
      var line = String.UnicodeScalarView()
      for column in 0..<width { line.append(self[column, row].scalar) }
      while line.last == " " { line.removeLast() }
      return String(line)
    }.joined(separator: "\n")
  }
}
