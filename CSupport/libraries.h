// Reports which packages are missing, before the compiler complains about an unknown header. Included before the
// headers of libgpiod, libi2c and inih.
#pragma once

#if !__has_include(<gpiod.h>) || !__has_include(<i2c/smbus.h>) || !__has_include(<ini.h>)
#error "a C library is missing: sudo apt install libgpiod-dev libi2c-dev libinih-dev"
#endif
