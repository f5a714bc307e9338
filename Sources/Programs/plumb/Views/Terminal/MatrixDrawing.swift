package import SenseHAT

/// The matrix of a Sense HAT on a terminal with colour: four lines of eight characters, each of two pixels.
package enum MatrixDrawing {
  package static func lines(_ picture: MatrixPicture, _ style: TextStyle) -> [String] {
    (0..<4).map { line in
      let text = String(
        (0..<8).map { column -> Character in
          switch (picture.isLit(column, 2 * line), picture.isLit(column, 2 * line + 1)) {
          case (true, true): "█"
          case (true, false): "▀"
          case (false, true): "▄"
          case (false, false): " "
          }
        })
      return style.coloured(text, picture.isRed ? 91 : 92)
    }
  }
}
