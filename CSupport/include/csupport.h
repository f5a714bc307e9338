// What Swift cannot call itself: ioctl, libi2c, libgpiod and inih, thinly wrapped. Every function is prefixed
// csupport_, returns a value or -errno, and allocates nothing per call.
#ifndef CSUPPORT_H
#define CSUPPORT_H

#include "csupport_daemon.h"
#include "csupport_errors.h"
#include "csupport_file.h"
#include "csupport_frame.h"
#include "csupport_gpio.h"
#include "csupport_host.h"
#include "csupport_i2c.h"
#include "csupport_iio.h"
#include "csupport_ini.h"
#include "csupport_memory.h"
#include "csupport_notify.h"
#include "csupport_random.h"
#include "csupport_ready.h"
#include "csupport_share.h"
#include "csupport_signals.h"
#include "csupport_terminal.h"
#include "csupport_view.h"
#include "csupport_wait.h"

#endif
