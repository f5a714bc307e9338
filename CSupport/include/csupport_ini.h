// Reads and parses board files and the publisher's settings with inih.
//
// Why Swift does not call inih: its callback's signature depends on how the library was built, Debian's build has no
// line numbers, it ignores text after a section's name, splits lines that are too long, and joins indented lines to the
// previous one. The reader behind these functions passes on only lines for which none of this can happen.
#ifndef CSUPPORT_INI_H
#define CSUPPORT_INI_H

#include <stddef.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

// The maximum size of a file in bytes.
#define CSUPPORT_INI_FILE_MAX 65536

// The maximum length of a line in bytes, without its comment and surrounding blanks. inih allows 197.
#define CSUPPORT_INI_LINE_MAX 190

// The kind of an item. After one of the last three, parsing stops.
enum csupport_ini_kind {
  // The header of a section, even of one without keys.
  CSUPPORT_INI_SECTION = 0,
  // A key and its value.
  CSUPPORT_INI_ENTRY = 1,
  // A line that is not a section, entry or comment: `value` is its text.
  CSUPPORT_INI_MALFORMED = 2,
  // A line over CSUPPORT_INI_LINE_MAX: `value` is its beginning.
  CSUPPORT_INI_LONG_LINE = 3,
  // A byte that is neither UTF-8 nor a blank: `value[0]`. Reported before any other item of the file.
  CSUPPORT_INI_NOT_TEXT = 4,
};

// An item of a file. The strings are NUL-terminated and valid until the handler returns; those that do not apply are
// empty.
struct csupport_ini_item {
  enum csupport_ini_kind kind;
  // Counted from 1.
  int line;
  const char *section;
  const char *name;
  const char *value;
};

// Receives the items in the order of the file. Returns 0 to continue, anything else to stop.
typedef int (*csupport_ini_handler)(void *context, const struct csupport_ini_item *item);

// Passes the items of `text` to `handler`. Returns 0, or -ECANCELED if the handler or a broken line stopped it.
int csupport_ini_parse(const char *text, size_t count, csupport_ini_handler handler, void *context);

// The same with the content of the file `path`. Also returns -EISDIR, -EFBIG (without reading everything), and errors
// of opening and reading. It may be a pipe; one without a writer is empty, without waiting.
int csupport_ini_parse_file(const char *path, csupport_ini_handler handler, void *context);

// Why a file could not be read.
enum csupport_ini_trouble {
  CSUPPORT_INI_MISSING = 0,
  CSUPPORT_INI_NOT_PERMITTED = 1,
  CSUPPORT_INI_DIRECTORY = 2,
  CSUPPORT_INI_TOO_LARGE = 3,
  CSUPPORT_INI_UNREADABLE = 4,
};

// The cause of a negative result of csupport_ini_parse_file. In C because Embedded Swift has no errno.
enum csupport_ini_trouble csupport_ini_trouble(int result);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif

#endif
