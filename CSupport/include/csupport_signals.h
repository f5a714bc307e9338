// Stop signals as a value to look at. In C because a signal handler may do next to nothing, and Swift's runtime gives
// no promise about that.
#ifndef CSUPPORT_SIGNALS_H
#define CSUPPORT_SIGNALS_H

// What shall happen when the reader of standard output has gone.
enum csupport_broken_pipe {
  CSUPPORT_BROKEN_PIPE_KILLS = 0,   // the system's default: the program dies at once, and leaves its LEDs lit
  CSUPPORT_BROKEN_PIPE_IGNORED = 1, // writing fails with EPIPE
  CSUPPORT_BROKEN_PIPE_STOPS = 2,   // writing fails with EPIPE, and it counts as a stop signal
};

// Makes SIGINT, SIGTERM and SIGHUP stop signals: they no longer kill the program but are remembered, and end every
// wait of csupport_clock.h, in whichever thread they arrive. No SA_RESTART: a blocked write ends with EINTR.
// SIGHUP stays ignored where it was (nohup). Returns 0 or -errno. A second call does nothing.
int csupport_signals_install(enum csupport_broken_pipe broken_pipe);

// Gives the signals back to the actions they had before, and forgets one that came.
void csupport_signals_uninstall(void);

// The number of the first stop signal that came, 0 when none did.
int csupport_signals_received(void);

// A descriptor that is readable as soon as a stop signal came and stays so; -1 before csupport_signals_install.
// For whoever waits for other things too. Not to be read or closed.
int csupport_signals_descriptor(void);

// Waits until descriptor can be written to without blocking (at most PIPE_BUF bytes, where it is a pipe), for
// milliseconds at most, below 0 for as long as it takes. Because a write that blocks would be deaf to stop signals.
// Returns 1 when it can be, 0 when time is up, -EINTR when it cannot and a stop signal has come, or -errno.
int csupport_signals_wait_writable(int descriptor, int milliseconds);

#endif
