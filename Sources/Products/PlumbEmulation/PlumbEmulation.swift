// `import PlumbEmulation`: emulated sensors, scripted buses and the recorder, for programs without hardware and for
// tests.

@_exported public import Emulation
