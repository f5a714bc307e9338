#define _GNU_SOURCE // SOCK_CLOEXEC

#include "cmqtt.h"

#include "guard.h"
#include "resolve.h"

#include <MQTTAsync.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

// Messages that wait to be taken, and all entries that wait: in addition, each publication has one place, and so do the
// beginning and the end of a connection.
enum { MOST_MESSAGES = 16, MOST_WAITING = MOST_MESSAGES + CMQTT_MOST_IN_FLIGHT + 2 };
enum { LONGEST_TEXT = 200 };
// How long the search for the cause of a failed attempt may wait for the host, in milliseconds.
enum { PROBE_PATIENCE = 3000 };

// A report with room for its texts.
struct entry {
  struct cmqtt_news news;
  size_t place; // of a publication or subscription: its place in flight
  char text[LONGEST_TEXT];
  char topic[CMQTT_TOPIC_MAX + 1];
  unsigned char payload[CMQTT_PAYLOAD_MAX];
};

// A publication or subscription that is unacknowledged, or whose end has not been taken yet.
struct flight {
  struct cmqtt *client;
  uint16_t token;
  bool is_used;
};

enum state { IDLE, CONNECTING, CONNECTED };

struct cmqtt {
  // For the caller's thread.
  char *texts[CMQTT_TEXTS];
  MQTTAsync handle;
  enum state state;
  struct flight in_flight[CMQTT_MOST_IN_FLIGHT];
  struct entry taken;
  int event;

  // Written before an attempt begins, read by Paho's threads during it.
  struct cmqtt_link link;

  // For all threads, with `mutex`. Never call Paho while holding it: Paho calls back while holding its own lock.
  pthread_mutex_t mutex;
  pthread_cond_t change;
  bool is_live; // whether the present connection may still report something
  bool is_disconnected;
  unsigned unacknowledged;
  uint32_t dropped;
  size_t first, count, messages;
  char tls_words[LONGEST_TEXT];
  struct entry waiting[MOST_WAITING];
};

const char *cmqtt_version(void) {
  for (MQTTAsync_nameValue *entry = MQTTAsync_getVersionInfo(); entry->name; entry++)
    if (strcmp(entry->name, "Version") == 0)
      return entry->value;
  return "";
}

static int64_t milliseconds(void) {
  struct timespec now = {.tv_sec = 0, .tv_nsec = 0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void copy_text(char *to, size_t size, const char *from) {
  size_t count = strnlen(from, size - 1);
  memcpy(to, from, count);
  to[count] = '\0';
}

// Reports.

static void set_readable(struct cmqtt *client) {
  uint64_t one = 1;
  if (write(client->event, &one, sizeof one) < 0) {
    // Full at 2^64 - 2, and then readable anyway.
  }
}

static void set_unreadable(struct cmqtt *client) {
  uint64_t count = 0;
  if (read(client->event, &count, sizeof count) < 0) {
    // It was not readable.
  }
}

// Appends an entry to the queue; with the mutex held. There is room: see MOST_WAITING.
static struct entry *append(struct cmqtt *client, enum cmqtt_kind kind) {
  struct entry *entry = &client->waiting[(client->first + client->count) % MOST_WAITING];
  entry->news = (struct cmqtt_news){.kind = kind};
  entry->place = CMQTT_MOST_IN_FLIGHT;
  entry->text[0] = '\0';
  entry->topic[0] = '\0';
  client->count++;
  set_readable(client);
  return entry;
}

// The end of an attempt or a connection.
static void append_end(struct cmqtt *client, enum cmqtt_kind kind, enum cmqtt_reason reason, int code,
                       const char *text) {
  pthread_mutex_lock(&client->mutex);
  if (client->is_live) {
    struct entry *entry = append(client, kind);
    entry->news.reason = reason;
    entry->news.code = code;
    copy_text(entry->text, sizeof entry->text, text);
    client->is_live = false;
  }
  pthread_cond_broadcast(&client->change);
  pthread_mutex_unlock(&client->mutex);
}

// TLS: OpenSSL's state of a connection when it was freed, which Paho does before it reports a failed attempt, in the
// same thread.

static _Thread_local struct {
  bool is_known, is_established, is_for_host;
  long verification;
} last_tls;

// Whether the broker's certificate is for the host, whose name or address Paho has sent to the broker.
static bool is_for_host(const SSL *connection) {
  const char *host = SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name);
  X509 *certificate = SSL_get1_peer_certificate(connection);
  bool fits = host != NULL && certificate != NULL &&
              (X509_check_host(certificate, host, 0, 0, NULL) == 1 || X509_check_ip_asc(certificate, host, 0) == 1);
  X509_free(certificate);
  return fits;
}

static void note_end_of_tls(void *parent, void *pointer, CRYPTO_EX_DATA *data, int index, long argument, void *more) {
  (void)pointer, (void)data, (void)index, (void)argument, (void)more;
  SSL *connection = parent;
  last_tls.is_known = true;
  last_tls.is_established = SSL_is_init_finished(connection);
  last_tls.is_for_host = is_for_host(connection);
  last_tls.verification = SSL_get_verify_result(connection);
}

// Whether Paho has just logged in this thread that the broker does not respond. It reports all lost connections alike;
// only its log identifies this one.
static _Thread_local bool is_silent;

static void note_log(enum MQTTASYNC_TRACE_LEVELS level, char *message) {
  (void)level;
  if (strstr(message, "PINGRESP not received") != NULL || strstr(message, "PINGREQ still outstanding") != NULL)
    is_silent = true;
}

// Extracts OpenSSL's reason from "…:error:0A000086:SSL routines:function:certificate verify failed:file:line:".
static int take_tls_words(const char *text, size_t count, void *context) {
  struct cmqtt *client = context;
  char line[LONGEST_TEXT];
  char *rest = line;
  const char *reason = line;
  snprintf(line, sizeof line, "%.*s", (int)(count < sizeof line ? count : sizeof line - 1), text);
  line[strcspn(line, "\n")] = '\0';
  for (int i = 0; i < 6; i++)
    reason = strsep(&rest, ":");
  pthread_mutex_lock(&client->mutex);
  if (client->tls_words[0] == '\0' && reason != NULL)
    copy_text(client->tls_words, sizeof client->tls_words, reason);
  pthread_mutex_unlock(&client->mutex);
  return 1;
}

// Why an attempt failed.

// Connects and closes, to learn the system's error. Returns 0 or -errno.
static int probe(const struct addrinfo *address) {
  int result = 0;
  int code = 0;
  socklen_t size = sizeof code;
  int host = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (host < 0)
    return -errno;
  if (connect(host, address->ai_addr, address->ai_addrlen) < 0)
    result = -errno;
  if (result == -EINPROGRESS) {
    struct pollfd wait = {.fd = host, .events = POLLOUT, .revents = 0};
    int ready = poll(&wait, 1, PROBE_PATIENCE);
    result = ready == 0 ? -ETIMEDOUT : -EINTR;
    if (ready > 0 && getsockopt(host, SOL_SOCKET, SO_ERROR, &code, &size) == 0)
      result = -code;
  }
  close(host);
  return result;
}

// Reports why the host could not be connected to, which Paho no longer knows. In Paho's thread, which nothing else
// waits for.
static void append_network_trouble(struct cmqtt *client) {
  char port[8];
  struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  struct addrinfo *list = NULL;
  snprintf(port, sizeof port, "%u", (unsigned)client->link.port);
  cmqtt_resolve_forget();
  int result = getaddrinfo(client->texts[CMQTT_HOST], port, &wanted, &list);
  if (result != 0) {
    const char *words = cmqtt_resolve_words();
    append_end(client, CMQTT_REFUSED, CMQTT_NAME, 0, words[0] != '\0' ? words : gai_strerror(result));
    return;
  }
  // As Paho does: the first IPv4 address, otherwise the first address.
  const struct addrinfo *address = list;
  while (address != NULL && address->ai_family != AF_INET)
    address = address->ai_next;
  result = probe(address != NULL ? address : list);
  freeaddrinfo(list);
  if (result == -ETIMEDOUT)
    append_end(client, CMQTT_REFUSED, CMQTT_TIME, 0, "");
  else
    append_end(client, CMQTT_REFUSED, result < 0 ? CMQTT_SYSTEM : CMQTT_UNKNOWN, -result, "");
}

// The error in the files that TLS needs, which Paho does not report; NULL if there is none.
static const char *find_bad_file(const struct cmqtt *client) {
  const char *certificate = client->texts[CMQTT_CERTIFICATE_FILE];
  const char *key = client->texts[CMQTT_KEY_FILE] != NULL ? client->texts[CMQTT_KEY_FILE] : certificate;
  const char *trust = client->texts[CMQTT_CA_FILE];
  const char *bad = NULL;
  SSL_CTX *trial = SSL_CTX_new(TLS_client_method());
  if (trial == NULL)
    return NULL;
  SSL_CTX_set_default_passwd_cb_userdata(trial, (char[]){""});
  if (trust != NULL && SSL_CTX_load_verify_locations(trial, trust, NULL) != 1)
    bad = "no certificates in the CA file";
  else if (certificate != NULL && SSL_CTX_use_certificate_chain_file(trial, certificate) != 1)
    bad = "no certificate in the certificate file";
  else if (certificate != NULL && SSL_CTX_use_PrivateKey_file(trial, key, SSL_FILETYPE_PEM) != 1)
    bad = "no key in the key file that is without a password and belongs to the certificate";
  SSL_CTX_free(trial);
  ERR_clear_error();
  return bad;
}

// Reports a TLS error, with OpenSSL's `words`. `is_connecting` if it made Paho give up.
static bool append_words_of_tls(struct cmqtt *client, enum cmqtt_kind kind, bool is_connecting, const char *words) {
  bool is_verified = client->link.verify && is_connecting && last_tls.is_known;
  if (is_verified && last_tls.verification != X509_V_OK)
    append_end(client, kind, CMQTT_CERTIFICATE, 0, X509_verify_cert_error_string(last_tls.verification));
  else if (is_connecting && !last_tls.is_known && find_bad_file(client) != NULL)
    append_end(client, kind, CMQTT_TLS, 0, find_bad_file(client));
  else if (words[0] != '\0')
    append_end(client, kind, CMQTT_TLS, 0, words);
  else if (is_verified && last_tls.is_established && !last_tls.is_for_host)
    append_end(client, kind, CMQTT_HOST_NAME, 0, "");
  else if (is_connecting && last_tls.is_known && last_tls.is_established)
    append_end(client, kind, CMQTT_CLOSED, 0, "");
  else if (is_connecting && last_tls.is_known)
    append_end(client, kind, CMQTT_TLS, 0, "the other end closed the connection, and may not offer TLS there");
  else
    return false;
  return true;
}

// Reports a TLS error. Returns whether there was one.
static bool append_tls_trouble(struct cmqtt *client, enum cmqtt_kind kind, bool is_connecting) {
  char words[LONGEST_TEXT];
  if (!client->link.tls)
    return false;
  pthread_mutex_lock(&client->mutex);
  copy_text(words, sizeof words, client->tls_words);
  pthread_mutex_unlock(&client->mutex);
  return append_words_of_tls(client, kind, is_connecting, words);
}

// Reports that the connection was broken because of what the broker sent. Returns whether it was.
static bool append_verdict(struct cmqtt *client, enum cmqtt_kind kind) {
  enum cmqtt_guard_verdict verdict = cmqtt_guard_verdict();
  cmqtt_guard_forget();
  if (verdict != CMQTT_GUARD_NONE)
    append_end(client, kind, verdict == CMQTT_GUARD_TOO_LONG ? CMQTT_TOO_LONG : CMQTT_FORBIDDEN, 0, "");
  return verdict != CMQTT_GUARD_NONE;
}

// Paho's callbacks, in its threads.

static void is_connected(void *context, MQTTAsync_successData *data) {
  struct cmqtt *client = context;
  (void)data;
  pthread_mutex_lock(&client->mutex);
  if (client->is_live)
    append(client, CMQTT_CONNECTED);
  pthread_mutex_unlock(&client->mutex);
}

static void has_not_connected(void *context, MQTTAsync_failureData *data) {
  struct cmqtt *client = context;
  const char *message = data->message != NULL ? data->message : "";
  bool is_connecting = strcmp(message, "TCP/TLS connect failure") == 0;
  pthread_mutex_lock(&client->mutex);
  bool is_live = client->is_live;
  pthread_mutex_unlock(&client->mutex);
  if (!is_live) {
  } else if (append_verdict(client, CMQTT_REFUSED)) {
  } else if (data->code > 0) {
    append_end(client, CMQTT_REFUSED, CMQTT_DENIED, data->code, "");
  } else if (append_tls_trouble(client, CMQTT_REFUSED, is_connecting)) {
  } else if (strcmp(message, "TCP connect timeout") == 0) {
    append_end(client, CMQTT_REFUSED, CMQTT_TIME, 0, "");
  } else if (is_connecting || message[0] == '\0') {
    append_network_trouble(client);
  } else {
    append_end(client, CMQTT_REFUSED, CMQTT_CLOSED, 0, "");
  }
  last_tls.is_known = false;
}

static void is_lost(void *context, char *cause) {
  struct cmqtt *client = context;
  (void)cause; // always NULL
  if (!append_verdict(client, CMQTT_LOST) && !append_tls_trouble(client, CMQTT_LOST, false))
    append_end(client, CMQTT_LOST, is_silent ? CMQTT_TIME : CMQTT_CLOSED, 0, "");
  last_tls.is_known = false;
  is_silent = false;
}

static void end_flight(struct flight *flight, enum cmqtt_kind kind) {
  struct cmqtt *client = flight->client;
  pthread_mutex_lock(&client->mutex);
  if (client->is_live) {
    struct entry *entry = append(client, kind);
    entry->news.token = flight->token;
    entry->place = (size_t)(flight - client->in_flight);
    client->unacknowledged--;
  }
  pthread_cond_broadcast(&client->change);
  pthread_mutex_unlock(&client->mutex);
}

static void is_delivered(void *context, MQTTAsync_successData *data) {
  (void)data;
  end_flight(context, CMQTT_DELIVERED);
}

static void is_not_delivered(void *context, MQTTAsync_failureData *data) {
  (void)data;
  end_flight(context, CMQTT_FAILED);
}

static void is_subscribed(void *context, MQTTAsync_successData *data) {
  (void)data;
  end_flight(context, CMQTT_SUBSCRIBED);
}

static void is_not_subscribed(void *context, MQTTAsync_failureData *data) {
  (void)data;
  end_flight(context, CMQTT_UNSUBSCRIBED);
}

static void append_message(struct cmqtt *client, const char *topic, size_t topic_count,
                           const MQTTAsync_message *message) {
  struct entry *entry = append(client, CMQTT_MESSAGE);
  size_t count = message->payloadlen > 0 ? (size_t)message->payloadlen : 0;
  client->messages++;
  entry->news.dropped = client->dropped;
  client->dropped = 0;
  entry->news.is_retained = message->retained != 0;
  entry->news.is_too_long = topic_count > CMQTT_TOPIC_MAX || count > CMQTT_PAYLOAD_MAX;
  if (entry->news.is_too_long)
    return;
  memcpy(entry->topic, topic, topic_count);
  entry->topic[topic_count] = '\0';
  memcpy(entry->payload, message->payload, count);
  entry->news.topic_count = topic_count;
  entry->news.payload_count = count;
}

static int has_arrived(void *context, char *topic, int topic_count, MQTTAsync_message *message) {
  struct cmqtt *client = context;
  // 0 means that the topic contains no NUL.
  size_t count = topic_count > 0 ? (size_t)topic_count : strlen(topic);
  pthread_mutex_lock(&client->mutex);
  if (client->is_live && client->messages < MOST_MESSAGES)
    append_message(client, topic, count, message);
  else
    client->dropped++;
  pthread_mutex_unlock(&client->mutex);
  MQTTAsync_freeMessage(&message);
  MQTTAsync_free(topic);
  return 1;
}

static void is_disconnected(void *context, MQTTAsync_successData *data) {
  struct cmqtt *client = context;
  (void)data;
  pthread_mutex_lock(&client->mutex);
  client->is_disconnected = true;
  pthread_cond_broadcast(&client->change);
  pthread_mutex_unlock(&client->mutex);
}

// The caller's side.

// Prepares Paho: once per process.
static int begin(void) {
  static MQTTAsync keeper;
  static pthread_mutex_t once = PTHREAD_MUTEX_INITIALIZER;
  // OpenSSL initialises itself at its first use.
  MQTTAsync_init_options options = MQTTAsync_init_options_initializer;
  int result = 0;
  pthread_mutex_lock(&once);
  if (keeper == NULL) {
    MQTTAsync_global_init(&options);
    // When its last client is destroyed, Paho stops its threads, and waits a second for them. This client is kept for
    // ever.
    if (MQTTAsync_create(&keeper, "tcp://localhost:1883", "keeper", MQTTCLIENT_PERSISTENCE_NONE, NULL) != 0)
      result = -ENOMEM;
    // Its protocol trace, a line per packet: it contains the line that note_log looks for.
    MQTTAsync_setTraceCallback(note_log);
    MQTTAsync_setTraceLevel(MQTTASYNC_TRACE_PROTOCOL);
    if (CRYPTO_get_ex_new_index(CRYPTO_EX_INDEX_SSL, 0, NULL, NULL, NULL, note_end_of_tls) < 0)
      result = -ENOMEM;
  }
  pthread_mutex_unlock(&once);
  return result;
}

int cmqtt_open(struct cmqtt **result) {
  pthread_condattr_t monotonic;
  struct cmqtt *client = NULL;
  int error = begin();
  if (error < 0)
    return error;
  client = calloc(1, sizeof *client);
  if (client == NULL)
    return -ENOMEM;
  client->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (client->event < 0) {
    error = -errno;
    free(client);
    return error;
  }
  pthread_mutex_init(&client->mutex, NULL);
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&client->change, &monotonic);
  pthread_condattr_destroy(&monotonic);
  *result = client;
  return 0;
}

static void forget_text(char *text) {
  if (text != NULL)
    explicit_bzero(text, strlen(text));
  free(text);
}

int cmqtt_set(struct cmqtt *client, enum cmqtt_text which, const char *text) {
  char *copy = text[0] != '\0' ? strdup(text) : NULL;
  if (text[0] != '\0' && copy == NULL)
    return -ENOMEM;
  forget_text(client->texts[which]);
  client->texts[which] = copy;
  return 0;
}

int cmqtt_descriptor(const struct cmqtt *client) { return client->event; }

// Ends the previous connection for good.
static void drop(struct cmqtt *client) {
  pthread_mutex_lock(&client->mutex);
  client->is_live = false;
  pthread_mutex_unlock(&client->mutex);
  if (client->handle != NULL)
    MQTTAsync_destroy(&client->handle);
  client->handle = NULL;
  client->state = IDLE;
}

// Whether all files can be read; if not, reports it.
static bool has_files(struct cmqtt *client) {
  static const enum cmqtt_text files[] = {CMQTT_CA_FILE, CMQTT_CERTIFICATE_FILE, CMQTT_KEY_FILE};
  for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
    const char *path = client->texts[files[i]];
    int file = path != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    if (path != NULL && file < 0) {
      append_end(client, CMQTT_REFUSED, CMQTT_FILE, errno, path);
      return false;
    }
    if (file >= 0)
      close(file);
  }
  return true;
}

// Paho's threads start with the first connection, and must leave all signals to the program's own threads.
static int connect_without_signals(MQTTAsync handle, const MQTTAsync_connectOptions *options) {
  sigset_t all;
  sigset_t former;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &former);
  int result = MQTTAsync_connect(handle, options);
  pthread_sigmask(SIG_SETMASK, &former, NULL);
  return result == MQTTASYNC_SUCCESS ? 0 : -EINVAL;
}

static int begin_attempt(struct cmqtt *client) {
  const struct cmqtt_link *link = &client->link;
  const char *client_id = client->texts[CMQTT_CLIENT_ID];
  char uri[320];
  bool is_bare = strchr(client->texts[CMQTT_HOST], ':') != NULL && client->texts[CMQTT_HOST][0] != '[';
  MQTTAsync_connectOptions options = MQTTAsync_connectOptions_initializer;
  MQTTAsync_willOptions will = MQTTAsync_willOptions_initializer;
  MQTTAsync_SSLOptions tls = MQTTAsync_SSLOptions_initializer;
  snprintf(uri, sizeof uri, "%s://%s%s%s:%u", link->tls ? "ssl" : "tcp", is_bare ? "[" : "", client->texts[CMQTT_HOST],
           is_bare ? "]" : "", (unsigned)link->port);
  if (MQTTAsync_create(&client->handle, uri, client_id != NULL ? client_id : "", MQTTCLIENT_PERSISTENCE_NONE, NULL) !=
      0)
    return -EINVAL;
  MQTTAsync_setCallbacks(client->handle, client, is_lost, has_arrived, NULL);
  options.keepAliveInterval = link->keep_alive;
  options.connectTimeout = link->patience;
  options.cleansession = 1;
  options.maxInflight = CMQTT_MOST_IN_FLIGHT + 1;
  options.MQTTVersion = MQTTVERSION_3_1_1; // no second attempt with 3.1
  options.username = client->texts[CMQTT_USER];
  options.password = client->texts[CMQTT_PASSWORD];
  options.onSuccess = is_connected;
  options.onFailure = has_not_connected;
  options.context = client;
  if (client->texts[CMQTT_WILL_TOPIC] != NULL) {
    will.topicName = client->texts[CMQTT_WILL_TOPIC];
    will.message = client->texts[CMQTT_WILL] != NULL ? client->texts[CMQTT_WILL] : "";
    will.retained = 1;
    will.qos = 1;
    options.will = &will;
  }
  if (link->tls) {
    tls.trustStore = client->texts[CMQTT_CA_FILE];
    tls.keyStore = client->texts[CMQTT_CERTIFICATE_FILE];
    tls.privateKey = client->texts[CMQTT_KEY_FILE];
    tls.privateKeyPassword = ""; // otherwise OpenSSL prompts at the terminal for the password of a protected key
    tls.enabledCipherSuites = "DEFAULT";
    tls.enableServerCertAuth = link->verify;
    tls.verify = link->verify;
    tls.ssl_error_cb = take_tls_words;
    tls.ssl_error_context = client;
    options.ssl = &tls;
  }
  return connect_without_signals(client->handle, &options);
}

int cmqtt_connect(struct cmqtt *client, const struct cmqtt_link *link) {
  if (client->state != IDLE)
    return -EALREADY;
  if (client->texts[CMQTT_HOST] == NULL)
    return -EINVAL;
  // A new handle each time: whatever Paho had queued for the previous connection is dropped with it.
  drop(client);
  memset(client->in_flight, 0, sizeof client->in_flight);
  client->link = *link;
  pthread_mutex_lock(&client->mutex);
  client->is_live = true;
  client->is_disconnected = false;
  client->unacknowledged = 0;
  client->tls_words[0] = '\0';
  pthread_mutex_unlock(&client->mutex);
  client->state = CONNECTING;
  if (link->tls && !has_files(client))
    return 0;
  if (begin_attempt(client) < 0)
    append_end(client, CMQTT_REFUSED, CMQTT_UNKNOWN, 0, "");
  return 0;
}

// A free place in flight, or NULL.
static struct flight *find_place(struct cmqtt *client) {
  for (size_t i = 0; i < CMQTT_MOST_IN_FLIGHT; i++)
    if (!client->in_flight[i].is_used)
      return &client->in_flight[i];
  return NULL;
}

static void count_flight(struct cmqtt *client, unsigned change) {
  pthread_mutex_lock(&client->mutex);
  client->unacknowledged += change;
  pthread_mutex_unlock(&client->mutex);
}

// Reserves a place before Paho is called, because Paho may call back before it returns. Returns 0 or -errno.
static int take_off(struct cmqtt *client, uint16_t token, struct flight **flight) {
  if (client->state != CONNECTED)
    return -ENOTCONN;
  *flight = find_place(client);
  if (*flight == NULL)
    return -EAGAIN;
  **flight = (struct flight){.client = client, .token = token, .is_used = true};
  count_flight(client, 1);
  return 0;
}

// Handles the result of Paho's call.
static int settle(struct flight *flight, int result) {
  if (result == MQTTASYNC_SUCCESS)
    return 0;
  flight->is_used = false;
  count_flight(flight->client, (unsigned)-1);
  return result == MQTTASYNC_DISCONNECTED ? -ENOTCONN : -EINVAL;
}

int cmqtt_publish(struct cmqtt *client, uint16_t token, const char *topic, const void *payload, size_t count,
                  bool is_retained) {
  struct flight *flight = NULL;
  int result = take_off(client, token, &flight);
  if (result < 0)
    return result;
  MQTTAsync_responseOptions options = MQTTAsync_responseOptions_initializer;
  options.onSuccess = is_delivered;
  options.onFailure = is_not_delivered;
  options.context = flight;
  return settle(flight, MQTTAsync_send(client->handle, topic, (int)count, payload, 1, is_retained, &options));
}

int cmqtt_subscribe(struct cmqtt *client, const char *topic) {
  struct flight *flight = NULL;
  int result = take_off(client, 0, &flight);
  if (result < 0)
    return result;
  MQTTAsync_responseOptions options = MQTTAsync_responseOptions_initializer;
  options.onSuccess = is_subscribed;
  options.onFailure = is_not_subscribed;
  options.context = flight;
  return settle(flight, MQTTAsync_subscribe(client->handle, topic, 1, &options));
}

// Moves the first entry to `taken`. Returns whether there was one.
static bool take(struct cmqtt *client) {
  pthread_mutex_lock(&client->mutex);
  bool has_some = client->count > 0;
  if (has_some) {
    client->taken = client->waiting[client->first];
    client->first = (client->first + 1) % MOST_WAITING;
    client->count--;
    if (client->taken.news.kind == CMQTT_MESSAGE)
      client->messages--;
  }
  if (client->count == 0)
    set_unreadable(client);
  pthread_mutex_unlock(&client->mutex);
  return has_some;
}

bool cmqtt_next(struct cmqtt *client, struct cmqtt_news *news) {
  if (!take(client))
    return false;
  *news = client->taken.news;
  news->text = client->taken.text;
  news->topic = client->taken.topic;
  news->payload = client->taken.payload;
  if (client->taken.place < CMQTT_MOST_IN_FLIGHT)
    client->in_flight[client->taken.place].is_used = false;
  if (news->kind == CMQTT_CONNECTED)
    client->state = CONNECTED;
  if (news->kind == CMQTT_REFUSED || news->kind == CMQTT_LOST)
    client->state = IDLE;
  return true;
}

static bool is_acknowledged(const struct cmqtt *client) { return client->unacknowledged == 0; }
static bool has_ended(const struct cmqtt *client) { return client->is_disconnected; }

// Waits until `is_done`, or the connection is lost.
static void wait_until(struct cmqtt *client, bool (*is_done)(const struct cmqtt *), int64_t deadline) {
  struct timespec end = {.tv_sec = (time_t)(deadline / 1000), .tv_nsec = (long)(deadline % 1000 * 1000000)};
  int result = 0;
  pthread_mutex_lock(&client->mutex);
  while (client->is_live && !is_done(client) && result == 0)
    result = pthread_cond_timedwait(&client->change, &client->mutex, &end);
  pthread_mutex_unlock(&client->mutex);
}

void cmqtt_close(struct cmqtt *client, int patience) {
  if (client == NULL)
    return;
  if (client->state == CONNECTING) {
    pthread_mutex_lock(&client->mutex);
    bool is_under_way = client->is_live;
    client->is_live = false;
    pthread_mutex_unlock(&client->mutex);
    if (is_under_way)
      return;
  }
  int64_t deadline = milliseconds() + patience;
  if (client->state == CONNECTED) {
    MQTTAsync_disconnectOptions options = MQTTAsync_disconnectOptions_initializer;
    options.onSuccess = is_disconnected;
    options.context = client;
    // Paho itself checks only every 3 s whether everything is acknowledged.
    wait_until(client, is_acknowledged, deadline);
    if (MQTTAsync_disconnect(client->handle, &options) == MQTTASYNC_SUCCESS)
      wait_until(client, has_ended, deadline);
  }
  drop(client);
  close(client->event);
  pthread_cond_destroy(&client->change);
  pthread_mutex_destroy(&client->mutex);
  for (size_t i = 0; i < CMQTT_TEXTS; i++)
    forget_text(client->texts[i]);
  free(client);
}
