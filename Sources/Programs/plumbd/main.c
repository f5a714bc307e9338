// The C entry point of plumbd; everything else is Swift (Sources/Programs/plumbd).
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

// Returns the exit code.
int plumbd_main(int count, char **arguments);

int main(int count, char **arguments) { return plumbd_main(count, arguments); }

// What the linker's options --wrap substitute for two functions of the C library. All code of the daemon stays locked
// in memory, and the library's own bring 40 KiB that nothing else needs.

// Only libgpiod calls strncpy, for short names; the library has a variant for each kind of x86 processor.
char *__wrap_strncpy(char *to, const char *from, size_t size);

char *__wrap_strncpy(char *to, const char *from, size_t size) {
  size_t length = strnlen(from, size);
  memcpy(to, from, length);
  memset(to + length, 0, size - length);
  return to;
}

// Only the library itself asserts something; its function prints with wide characters too.
_Noreturn void __wrap___assert_fail(const char *assertion, const char *file, unsigned line, const char *function);

static struct iovec piece(const char *text) {
  return (struct iovec){.iov_base = (void *)text, .iov_len = strlen(text)};
}

_Noreturn void __wrap___assert_fail(const char *assertion, const char *file, unsigned line, const char *function) {
  (void)line;
  struct iovec words[] = {
      piece("plumbd: "), piece(file), piece(": "), piece(function ? function : "?"), piece(": assertion failed: "),
      piece(assertion),  piece("\n"),
  };
  ssize_t written = writev(STDERR_FILENO, words, sizeof words / sizeof *words);
  (void)written;
  abort();
}
