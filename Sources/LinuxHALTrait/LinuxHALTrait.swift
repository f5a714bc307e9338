// Built before LinuxHAL and BoardFile, so that who uses them without the package trait reads one sentence, and not that a
// module is missing that they never heard of.
#if !LinuxHAL
  #error("LinuxHAL is off: depend on Plumb with traits: [\"LinuxHAL\"]. Needs libgpiod-dev, libi2c-dev, libinih-dev.")
#endif
