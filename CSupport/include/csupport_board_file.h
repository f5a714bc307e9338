// Board files: reads one and takes it apart with inih.
//
// Why not call inih from Swift: it takes a callback whose shape depends on how the library was built, hands out no line
// numbers in Debian's build, silently drops what follows a section's name, cuts overlong lines in two, and joins
// indented lines to the one before. The reader behind these functions feeds it lines on which none of that can happen.
#ifndef CSUPPORT_BOARD_FILE_H
#define CSUPPORT_BOARD_FILE_H

#include <stddef.h>

#ifdef __clang__
#pragma clang assume_nonnull begin
#endif

// The greatest size of a board file in bytes.
#define CSUPPORT_BOARD_FILE_MAX 65536

// The greatest length of a line in bytes, without its comment and the blanks around it. inih takes 197.
#define CSUPPORT_BOARD_LINE_MAX 190

// What was found. After the last three, nothing more is handed out.
enum csupport_board_kind {
  // The header of a section, also of one without keys.
  CSUPPORT_BOARD_SECTION = 0,
  // A key and its value.
  CSUPPORT_BOARD_ENTRY = 1,
  // A line that is no section, no entry and no comment: `value` is its text.
  CSUPPORT_BOARD_MALFORMED = 2,
  // A line over CSUPPORT_BOARD_LINE_MAX: `value` is its beginning.
  CSUPPORT_BOARD_LONG_LINE = 3,
  // A byte that is neither UTF-8 nor a blank: `value[0]`. Found before anything else in the file is looked at.
  CSUPPORT_BOARD_NOT_TEXT = 4,
};

// One thing in a board file. The strings end with NUL and live until the handler returns; what does not apply is empty.
struct csupport_board_item {
  enum csupport_board_kind kind;
  // Counted from 1.
  int line;
  const char *section;
  const char *name;
  const char *value;
};

// Takes one item, in the order of the file. Returns 0 to go on, anything else to stop.
typedef int (*csupport_board_handler)(void *context, const struct csupport_board_item *item);

// Hands the items of `text` to `handler`. Returns 0, or -ECANCELED when the handler or a broken line stopped it.
int csupport_board_parse(const char *text, size_t count, csupport_board_handler handler, void *context);

// The same with the content of the file `path`. Returns also -EISDIR, -EFBIG (before reading it all) and whatever else
// opening and reading say. A pipe will do; one without a writer is empty, and is not waited for.
int csupport_board_parse_file(const char *path, csupport_board_handler handler, void *context);

// What kept a file from being read.
enum csupport_board_trouble {
  CSUPPORT_BOARD_MISSING = 0,
  CSUPPORT_BOARD_NOT_PERMITTED = 1,
  CSUPPORT_BOARD_DIRECTORY = 2,
  CSUPPORT_BOARD_TOO_LARGE = 3,
  CSUPPORT_BOARD_UNREADABLE = 4,
};

// The trouble behind a negative result of csupport_board_parse_file: here, because Embedded Swift knows no errno.
enum csupport_board_trouble csupport_board_trouble(int result);

#ifdef __clang__
#pragma clang assume_nonnull end
#endif

#endif
