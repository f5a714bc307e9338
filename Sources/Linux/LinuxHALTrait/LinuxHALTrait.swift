// Built before every module that imports C, so that without the package trait the error is this sentence and not an
// unknown module.
#if !LinuxHAL
  #error("LinuxHAL is off: depend on Plumb with traits: [\"LinuxHAL\"]. Needs libgpiod-dev, libi2c-dev, libinih-dev.")
#endif
