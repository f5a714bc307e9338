// `import PlumbLinux`: the I2C bus, lines and clock of Linux, board files, boards opened from them, and the text that
// board files are made of.

@_exported public import BoardFile
@_exported public import FixedText
@_exported public import LinuxHAL
@_exported public import OpenBoard
@_exported public import Text
