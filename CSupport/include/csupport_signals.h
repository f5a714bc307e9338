// Signals as values. In C because a signal handler may do very little, and Swift's runtime does not guarantee to
// respect that.
#ifndef CSUPPORT_SIGNALS_H
#define CSUPPORT_SIGNALS_H

// The meaning of the signals for a program.
enum csupport_signal_use {
  CSUPPORT_SIGNALS_OF_TOOL = 0,               // INT, TERM and HUP stop it; HUP stays ignored if it was (nohup)
  CSUPPORT_SIGNALS_OF_SERVICE = 1,            // INT and TERM stop it, HUP and USR1 are requests
  CSUPPORT_SIGNALS_OF_TOOL_WITH_REQUESTS = 2, // as a tool's, and USR1 is a request
};

// What happens when the reader of standard output has closed it.
enum csupport_broken_pipe {
  CSUPPORT_BROKEN_PIPE_KILLS = 0,   // the system's default: the program dies at once, and leaves its LEDs lit
  CSUPPORT_BROKEN_PIPE_IGNORED = 1, // writing fails with EPIPE
  CSUPPORT_BROKEN_PIPE_STOPS = 2,   // writing fails with EPIPE, and it counts as a stop signal
};

// Signals as requests; bits.
enum {
  CSUPPORT_STOP = 1,     // a stop signal: end cleanly
  CSUPPORT_RELOAD = 2,   // SIGHUP to a service: read the board file again
  CSUPPORT_COUNTERS = 4, // SIGUSR1: report the counters, or lock the screen's rotation
};

// The numbers of stop signals, the same on every machine that Plumb runs on.
enum { CSUPPORT_SIGHUP = 1, CSUPPORT_SIGINT = 2, CSUPPORT_SIGPIPE = 13, CSUPPORT_SIGTERM = 15 };

// Installs handlers: signals no longer kill the program but are recorded, and end every wait of csupport_wait.h,
// whatever thread receives them. No SA_RESTART: a blocked write ends with EINTR. Returns 0 or -errno. A second call
// does nothing.
int csupport_signals_install(enum csupport_signal_use use, enum csupport_broken_pipe broken_pipe);

// Restores the previous actions of the signals, and discards those recorded.
void csupport_signals_uninstall(void);

// The number of the first stop signal received, 0 for none.
int csupport_signals_received(void);

// The requests received since the last call, in one word; 0 for none. A stop stays set.
unsigned csupport_signals_requests(void);

// A descriptor that is readable from a signal until its request is taken, or -errno. For a wait that includes other
// descriptors. It is created at first use and never closed; do not read or close it.
int csupport_signals_descriptor(void);

// Waits until descriptor can be written to without blocking (at most PIPE_BUF bytes, if it is a pipe), for at most
// `milliseconds`, or without limit if below 0. A blocking write would not react to stop signals. Returns 1 if it can be
// written to, 0 after a time-out, -EINTR if a stop signal has come first, or -errno.
int csupport_signals_wait_writable(int descriptor, int milliseconds);

#endif
