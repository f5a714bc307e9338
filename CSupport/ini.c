#define _GNU_SOURCE
#include "csupport_ini.h"
#include "csupport_memory.h"
#include "libraries.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// inih's buffer must have room for the line, its '\n' and the NUL.
_Static_assert(CSUPPORT_INI_LINE_MAX + 3 <= INI_MAX_LINE, "inih would cut lines");

// The state of reading. inih pulls lines from it and pushes entries into it.
struct source {
  const char *text;
  size_t count;
  size_t position;
  int line;
  // The line last passed to inih, for messages about it.
  const char *start;
  size_t length;
  // An entry was passed to inih and has not come back: if the next line is read, it was malformed.
  bool awaits_entry;
  // inih does not report sections without keys, so each header is followed by a marker entry.
  bool owes_marker;
  bool is_marker;
  int result;
  csupport_ini_handler handler;
  void *context;
};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool is_comment_mark(char c) { return c == '#' || c == ';'; }

static void hand_out(struct source *source, const struct csupport_ini_item *item) {
  if (source->handler(source->context, item) != 0)
    source->result = -ECANCELED;
}

// Reports the present line as invalid, and stops.
static void refuse_line(struct source *source, enum csupport_ini_kind kind) {
  char text[CSUPPORT_INI_LINE_MAX + 1];
  size_t length = source->length < CSUPPORT_INI_LINE_MAX ? source->length : CSUPPORT_INI_LINE_MAX;
  memcpy(text, source->start, length);
  text[length] = '\0';
  struct csupport_ini_item item = {.kind = kind, .line = source->line, .section = "", .name = "", .value = text};
  hand_out(source, &item);
  source->result = -ECANCELED;
}

// Finds the next line, without its comment and surrounding blanks. Leading blanks would continue the previous line.
static void find_line(struct source *source) {
  const char *start = source->text + source->position;
  const char *limit = source->text + source->count;
  const char *end = memchr(start, '\n', (size_t)(limit - start));
  if (end == NULL)
    end = limit;
  source->position = (size_t)(end - source->text) + (end < limit ? 1 : 0);
  source->line += 1;

  while (start < end && is_blank(*start))
    start++;
  for (const char *c = start; c < end; c++) {
    if (is_comment_mark(*c) && (c == start || is_blank(c[-1])))
      end = c;
  }
  while (end > start && is_blank(end[-1]))
    end--;
  source->start = start;
  source->length = (size_t)(end - start);
}

// Whether a line that starts like a section header is nothing else. inih would drop the text after the bracket.
static bool is_header(const char *start, size_t length) { return memchr(start, ']', length) == start + length - 1; }

// An `ini_reader`, and therefore shaped like fgets: the next line in `buffer`, or NULL at the end.
static char *read_line(char *buffer, int size, void *user) {
  struct source *source = user;
  if (source->awaits_entry && source->result == 0)
    refuse_line(source, CSUPPORT_INI_MALFORMED);
  if (source->result != 0)
    return NULL;
  if (source->owes_marker) {
    source->owes_marker = false;
    source->is_marker = true;
    return strcpy(buffer, "section=\n");
  }
  if (source->position >= source->count)
    return NULL;
  find_line(source);

  bool is_section = source->length > 0 && *source->start == '[';
  if (source->length > CSUPPORT_INI_LINE_MAX || source->length + 3 > (size_t)size) {
    refuse_line(source, CSUPPORT_INI_LONG_LINE);
    return NULL;
  }
  if (is_section && !is_header(source->start, source->length)) {
    refuse_line(source, CSUPPORT_INI_MALFORMED);
    return NULL;
  }
  source->owes_marker = is_section;
  source->awaits_entry = source->length > 0 && !is_section;
  memcpy(buffer, source->start, source->length);
  memcpy(buffer + source->length, "\n", 2);
  return buffer;
}

// An `ini_handler`: an entry as parsed by inih. Always "success": stopping is up to the reader.
#if INI_HANDLER_LINENO
static int take_entry(void *user, const char *section, const char *name, const char *value, int line) {
  (void)line;
#else
static int take_entry(void *user, const char *section, const char *name, const char *value) {
#endif
  struct source *source = user;
  struct csupport_ini_item item = {CSUPPORT_INI_ENTRY, source->line, section, name, value};
  if (source->is_marker) {
    item = (struct csupport_ini_item){CSUPPORT_INI_SECTION, source->line, section, "", ""};
  }
  source->is_marker = false;
  source->awaits_entry = false;
  if (source->result == 0)
    hand_out(source, &item);
  return 1;
}

// The number of bytes of the UTF-8 sequence at `text`, or 0 if there is none. (RFC 3629, section 4.)
static size_t sequence_length(const unsigned char *text, size_t count) {
  static const struct {
    unsigned char first, last, low, high, length;
  } forms[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
               {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
               {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
  if (text[0] < 0x80) {
    bool is_control = (text[0] < 0x20 && text[0] != '\t' && text[0] != '\n') || text[0] == 0x7F;
    bool ends_line = text[0] == '\r' && (count == 1 || text[1] == '\n');
    return is_control && !ends_line ? 0 : 1;
  }
  for (size_t form = 0; form < sizeof forms / sizeof forms[0]; form++) {
    if (text[0] < forms[form].first || text[0] > forms[form].last)
      continue;
    if (count < forms[form].length || text[1] < forms[form].low || text[1] > forms[form].high)
      return 0;
    for (size_t i = 2; i < forms[form].length; i++) {
      if ((text[i] & 0xC0) != 0x80)
        return 0;
    }
    return forms[form].length;
  }
  return 0;
}

// Reports the first byte that is not text, and stops.
static void check_text(struct source *source) {
  int line = 1;
  size_t length = 1;
  for (size_t at = 0; at < source->count; at += length) {
    length = sequence_length((const unsigned char *)source->text + at, source->count - at);
    if (length == 0) {
      source->line = line;
      source->start = source->text + at;
      source->length = 1;
      refuse_line(source, CSUPPORT_INI_NOT_TEXT);
      return;
    }
    if (source->text[at] == '\n')
      line += 1;
  }
}

int csupport_ini_parse(const char *text, size_t count, csupport_ini_handler handler, void *context) {
  struct source source = {.text = text, .count = count, .start = text, .handler = handler, .context = context};
  check_text(&source);
  // The byte order mark with which some editors begin UTF-8.
  if (count >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
    source.position = 3;
  if (source.result != 0)
    return source.result;
  // Its result adds nothing to what the reader and the handler saw, except for a lack of memory.
  int first_error = ini_parse_stream(read_line, &source, take_entry, &source);
  if (source.result == 0 && first_error < 0)
    return -ENOMEM;
  return source.result;
}

// Fills `buffer` from `file`. Returns the count, which is `size` if there is more, or -errno.
static ssize_t fill(int file, char *buffer, size_t size) {
  size_t count = 0;
  while (count < size) {
    ssize_t got = read(file, buffer + count, size - count);
    if (got == 0)
      break;
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return -errno;
    count += (size_t)got;
  }
  return (ssize_t)count;
}

// Makes sure that `file` is worth reading, and that reading a pipe waits. Returns 0 or -errno.
static int check_file(int file) {
  struct stat status;
  if (fstat(file, &status) != 0)
    return -errno;
  if (S_ISDIR(status.st_mode))
    return -EISDIR;
  if (S_ISREG(status.st_mode) && status.st_size > CSUPPORT_INI_FILE_MAX)
    return -EFBIG;
  int flags = fcntl(file, F_GETFL);
  return flags < 0 || fcntl(file, F_SETFL, flags & ~O_NONBLOCK) != 0 ? -errno : 0;
}

int csupport_ini_parse_file(const char *path, csupport_ini_handler handler, void *context) {
  // Do not wait for the writer of a named pipe, nor for a terminal's carrier.
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (file < 0)
    return -errno;
  int checked = check_file(file);
  // Not on the stack, which stays resident: only the pages that the file fills are used here, and for a moment.
  const size_t size = CSUPPORT_INI_FILE_MAX + 1;
  char *text = checked < 0 ? NULL : csupport_memory_map(size);
  ssize_t count = checked < 0 ? checked : text == NULL ? -csupport_memory_none() : fill(file, text, size);
  close(file);
  int result = (int)count;
  if (count > CSUPPORT_INI_FILE_MAX)
    result = -EFBIG;
  else if (count >= 0)
    result = csupport_ini_parse(text, (size_t)count, handler, context);
  if (text != NULL)
    csupport_memory_unmap(text, size);
  return result;
}

enum csupport_ini_trouble csupport_ini_trouble(int result) {
  switch (-result) {
  case ENOENT:
  case ENOTDIR:
    return CSUPPORT_INI_MISSING;
  case EACCES:
  case EPERM:
    return CSUPPORT_INI_NOT_PERMITTED;
  case EISDIR:
    return CSUPPORT_INI_DIRECTORY;
  case EFBIG:
    return CSUPPORT_INI_TOO_LARGE;
  default:
    return CSUPPORT_INI_UNREADABLE;
  }
}
