#define _GNU_SOURCE // sigaltstack and SIGTSTP under -std=c11

#include "csupport_terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

// All signals that kill a program and that csupport_signals.h does not record.
static const int deadly[] = {SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,  SIGTRAP,   SIGABRT, SIGSYS,
                             SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU};
enum { deadly_count = sizeof deadly / sizeof deadly[0] };

struct text {
  char bytes[CSUPPORT_TERMINAL_LONGEST];
  size_t count;
};

static struct sigaction previous[deadly_count], previous_stop, previous_continue;
static struct termios modes_before, modes_drawing;
static struct text enter_text, leave_text;
static int keys = -1, screen = -1;
static bool begun;
static atomic_bool held, resumed;

// A terminal that accepts no bytes delays the program by at most half a second: a dying program has no time.
static void put(const struct text *text) {
  size_t done = 0;
  int patience = 10;
  while (done < text->count) {
    ssize_t count = write(screen, text->bytes + done, text->count - done);
    if (count > 0) {
      done += (size_t)count;
    } else if (count < 0 && errno == EAGAIN && patience-- > 0) {
      struct pollfd wait = {.fd = screen, .events = POLLOUT, .revents = 0};
      poll(&wait, 1, 50);
    } else if (count == 0 || errno != EINTR) {
      return;
    }
  }
}

// In the background this stops the program until it is brought to the foreground (SIGTTOU), so the modes come before
// the text.
static void set_modes(const struct termios *modes) {
  while (keys >= 0 && tcsetattr(keys, TCSANOW, modes) < 0 && errno == EINTR) {
  }
}

static void take(void) {
  set_modes(&modes_drawing);
  put(&enter_text);
  atomic_store(&held, true);
}

static void give_back(void) {
  if (!atomic_exchange(&held, false))
    return;
  put(&leave_text);
  set_modes(&modes_before);
}

// Whether the kernel sends `number` again when the instruction that caused it is repeated: then the previous action,
// such as one that prints a backtrace, sees the true location. Others are raised again.
static bool comes_again(int number, const siginfo_t *info) {
  return info->si_code > 0 && (number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE);
}

static void die(int number, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  give_back();
  for (size_t i = 0; i < deadly_count; i++)
    if (deadly[i] == number)
      sigaction(number, &previous[i], NULL);
  if (!comes_again(number, info))
    raise(number); // blocked until this handler returns
  errno = saved;
}

static void stop(int number) {
  int saved = errno;
  struct sigaction ordinary = {.sa_handler = SIG_DFL, .sa_flags = 0}, ours;
  sigset_t only, before;
  give_back();
  sigemptyset(&ordinary.sa_mask);
  sigaction(number, &ordinary, &ours);
  raise(number);
  sigemptyset(&only);
  sigaddset(&only, number);
  pthread_sigmask(SIG_UNBLOCK, &only, &before); // the program stops here, and continues after SIGCONT
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  sigaction(number, &ours, NULL);
  // Unless SIGCONT has done it. If no process can resume the program, the system does not stop it, and nothing has done
  // it.
  if (!atomic_load(&held)) {
    take();
    atomic_store(&resumed, true);
  }
  errno = saved;
}

// Also after a SIGSTOP, which cannot be caught.
static void go_on(int number) {
  (void)number;
  int saved = errno;
  take();
  atomic_store(&resumed, true);
  errno = saved;
}

static int set_text(struct text *text, const char *bytes, size_t count) {
  if (count > sizeof text->bytes)
    return -EINVAL;
  memcpy(text->bytes, bytes, count);
  text->count = count;
  return 0;
}

static void install(void) {
  struct sigaction action = {.sa_sigaction = die, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigset_t wanted;
  sigemptyset(&action.sa_mask);
  sigemptyset(&wanted);
  for (size_t i = 0; i < deadly_count; i++) {
    sigaction(deadly[i], NULL, &previous[i]); // cannot fail: the numbers are valid
    if (previous[i].sa_handler != SIG_IGN)
      sigaction(deadly[i], &action, NULL);
    sigaddset(&wanted, deadly[i]);
  }
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = stop;
  sigaction(SIGTSTP, NULL, &previous_stop);
  if (previous_stop.sa_handler != SIG_IGN)
    sigaction(SIGTSTP, &action, NULL);
  action.sa_handler = go_on;
  sigaction(SIGCONT, &action, &previous_continue);
  sigaddset(&wanted, SIGTSTP);
  sigaddset(&wanted, SIGCONT);
  // They stay blocked if a parent had blocked them: the program would then survive what should end it.
  pthread_sigmask(SIG_UNBLOCK, &wanted, NULL);
}

int csupport_terminal_begin(int input, int output, const char *enter, size_t enter_count, const char *leave,
                            size_t leave_count) {
  if (begun)
    return -EALREADY;
  if (set_text(&enter_text, enter, enter_count) < 0 || set_text(&leave_text, leave, leave_count) < 0)
    return -EINVAL;
  keys = input;
  screen = output;
  if (keys >= 0) {
    if (tcgetattr(keys, &modes_before) < 0)
      return -errno;
    modes_drawing = modes_before;
    // Signals from keys stay enabled: Ctrl-C must end a program that does not read keys.
    modes_drawing.c_lflag &= ~(tcflag_t)(ICANON | ECHO | IEXTEN);
    // Ctrl-S would also block the output that restores the terminal.
    modes_drawing.c_iflag &= ~(tcflag_t)IXON;
    modes_drawing.c_cc[VMIN] = 1;
    modes_drawing.c_cc[VTIME] = 0;
  }
  install();
  begun = true;
  take();
  return 0;
}

void csupport_terminal_end(void) {
  if (!begun)
    return;
  begun = false;
  sigaction(SIGTSTP, &previous_stop, NULL);
  sigaction(SIGCONT, &previous_continue, NULL);
  give_back();
  for (size_t i = 0; i < deadly_count; i++)
    sigaction(deadly[i], &previous[i], NULL);
}

void csupport_terminal_guard_thread(void) {
  static _Thread_local char room[32768];
  stack_t spare = {.ss_sp = room, .ss_flags = 0, .ss_size = sizeof room};
  sigaltstack(&spare, NULL); // without it, only a stack overflow is not survived
}

bool csupport_terminal_is_held(void) { return atomic_load(&held); }

bool csupport_terminal_was_resumed(void) { return atomic_exchange(&resumed, false); }

int csupport_terminal_size(int output, unsigned *columns, unsigned *rows) {
  struct winsize size = {.ws_row = 0, .ws_col = 0};
  if (ioctl(output, TIOCGWINSZ, &size) < 0)
    return -errno;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}
