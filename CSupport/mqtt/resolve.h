// Why a name was not resolved.
#ifndef CMQTT_RESOLVE_H
#define CMQTT_RESOLVE_H

// The last error message of Avahi's daemon to this thread, or why it could not be asked; empty for none.
const char *cmqtt_resolve_words(void);
void cmqtt_resolve_forget(void);

#endif
