#include "cdesktop.h"

#include <dbus/dbus.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME "net.hadess.SensorProxy"
#define PATH "/net/hadess/SensorProxy"
#define COMPASS NAME ".Compass"
#define COMPASS_PATH PATH "/Compass"
#define POLKIT "org.freedesktop.PolicyKit1"

enum {
  LONGEST_MESSAGE = 1 << 16, // a longer one ends the connection before there is memory for it
  MOST_RECEIVED = 1 << 18,   // bytes; the rest waits in the bus
  MOST_UNSENT = 1 << 16,     // bytes; beyond that nothing is read, so that nothing needs a reply
  MOST_AT_ONCE = 64,         // messages in one turn
  PAUSE = 20000,             // microseconds after which a bus that takes nothing is tried again
  CLAIMS = 64,
};

// A client that has claimed the accelerometer, or wants to.
struct claim {
  char client[32];      // its unique name; empty if free
  dbus_uint32_t call;   // the serial of the call that has no reply yet; 0 for none
  dbus_uint32_t check;  // the serial of the question to polkit; 0 once it has agreed
  const char *known[2]; // the values that the client knows; NULL for nothing
};

static DBusConnection *bus;
static dbus_uint32_t naming; // the serial of RequestName
static const char *news;     // what has happened to the name, as a line for people
static struct claim claims[CLAIMS];
static const char *values[2]; // of orientation and tilt
static const char *const words[] = {"undefined", "normal",      "bottom-up", "left-up",   "right-up",
                                    "face-down", "tilted-down", "vertical",  "tilted-up", "face-up"};

static const char owned[] = NAME " is on the system bus";
static const char taken[] = "another program has " NAME ", usually iio-sensor-proxy: "
                            "sudo systemctl mask --now iio-sensor-proxy";
static const char denied[] = "this user may not own " NAME ": install the package plumb-desktop, or use sudo";
static const char closed[] = "the system bus has closed the connection";

static const dbus_bool_t yes = TRUE, no = FALSE;
static const double dark = 0, nowhere = -1;
static const char *const unit = "lux";

// What there is, in the order of iio-sensor-proxy: properties with their type and a pointer to their value, and methods
// (0) with the signature of their arguments. All that exists is the accelerometer; but clients insist on the rest.
// Claims of that give nothing away, so that nothing has to be remembered or authorised.
static const struct member {
  const char *interface, *name;
  int type;
  const void *value;
} members[] = {
    {DBUS_INTERFACE_PROPERTIES, "Get", 0, "ss"},
    {DBUS_INTERFACE_PROPERTIES, "GetAll", 0, "s"},
    {DBUS_INTERFACE_INTROSPECTABLE, "Introspect", 0, ""},
    {NAME, "ClaimAccelerometer", 0, ""},
    {NAME, "ReleaseAccelerometer", 0, ""},
    {NAME, "ClaimLight", 0, ""},
    {NAME, "ReleaseLight", 0, ""},
    {NAME, "ClaimProximity", 0, ""},
    {NAME, "ReleaseProximity", 0, ""},
    {NAME, "HasAccelerometer", DBUS_TYPE_BOOLEAN, &yes},
    {NAME, "AccelerometerOrientation", DBUS_TYPE_STRING, &values[0]},
    {NAME, "AccelerometerTilt", DBUS_TYPE_STRING, &values[1]},
    {NAME, "HasAmbientLight", DBUS_TYPE_BOOLEAN, &no},
    {NAME, "LightLevelUnit", DBUS_TYPE_STRING, &unit},
    {NAME, "LightLevel", DBUS_TYPE_DOUBLE, &dark},
    {NAME, "HasProximity", DBUS_TYPE_BOOLEAN, &no},
    {NAME, "ProximityNear", DBUS_TYPE_BOOLEAN, &no},
    {COMPASS, "ClaimCompass", 0, ""},
    {COMPASS, "ReleaseCompass", 0, ""},
    {COMPASS, "HasCompass", DBUS_TYPE_BOOLEAN, &no},
    {COMPASS, "CompassHeading", DBUS_TYPE_DOUBLE, &nowhere},
};
enum { GET, GET_ALL, INTROSPECT, CLAIM, RELEASE, ORIENTATION = 10, MEMBERS = sizeof members / sizeof *members };

static const char standard[] = DBUS_INTROSPECT_1_0_XML_DOCTYPE_DECL_NODE
    "<node><interface name='" DBUS_INTERFACE_PROPERTIES "'>"
    "<method name='Get'><arg type='s' name='interface_name' direction='in'/>"
    "<arg type='s' name='property_name' direction='in'/><arg type='v' name='value' direction='out'/></method>"
    "<method name='GetAll'><arg type='s' name='interface_name' direction='in'/>"
    "<arg type='a{sv}' name='properties' direction='out'/></method>"
    "<signal name='PropertiesChanged'><arg type='s' name='interface_name'/>"
    "<arg type='a{sv}' name='changed_properties'/><arg type='as' name='invalidated_properties'/></signal></interface>"
    "<interface name='" DBUS_INTERFACE_INTROSPECTABLE "'><method name='Introspect'>"
    "<arg type='s' name='xml_data' direction='out'/></method></interface>"
    "<interface name='" DBUS_INTERFACE_PEER "'><method name='Ping'/><method name='GetMachineId'>"
    "<arg type='s' name='machine_uuid' direction='out'/></method></interface>";

// The introspection of the object with `interface`.
static const char *describe(const char *interface) {
  static char xml[4096];
  int length = snprintf(xml, sizeof xml, "%s<interface name='%s'>", standard, interface);
  for (const struct member *each = members; each < members + MEMBERS; each++)
    if (strcmp(each->interface, interface) == 0)
      length += snprintf(xml + length, sizeof xml - (size_t)length,
                         each->type ? "<property name='%s' type='%c' access='read'/>" : "<method name='%s'/>",
                         each->name, each->type);
  snprintf(xml + length, sizeof xml - (size_t)length, "</interface>%s</node>\n",
           strcmp(interface, NAME) == 0 ? "<node name='Compass'/>" : "");
  return xml;
}

// Sends a message, unless it is incomplete for lack of memory, which ends the connection. Returns its serial.
static dbus_uint32_t post(DBusMessage *message, bool is_complete) {
  dbus_uint32_t serial = 0;
  if (message == NULL || !is_complete || !dbus_connection_send(bus, message, &serial))
    dbus_connection_close(bus);
  if (message != NULL)
    dbus_message_unref(message);
  return serial;
}

// Replies to the call with that serial (0: it wants no reply), with an error, with a text, or with nothing.
static void reply(const char *client, dbus_uint32_t call, const char *error, const char *text) {
  DBusMessage *message = dbus_message_new(error ? DBUS_MESSAGE_TYPE_ERROR : DBUS_MESSAGE_TYPE_METHOD_RETURN);
  if (call == 0 && message != NULL)
    return dbus_message_unref(message);
  post(message, message != NULL && dbus_message_set_destination(message, client) &&
                    dbus_message_set_reply_serial(message, call) &&
                    (error == NULL || dbus_message_set_error_name(message, error)) &&
                    (text == NULL || dbus_message_append_args(message, DBUS_TYPE_STRING, &text, DBUS_TYPE_INVALID)));
}

// Begins to append to a message. Returns false if there was no memory for it.
static bool begin(DBusMessage *message, DBusMessageIter *to) {
  return message != NULL && (dbus_message_iter_init_append(message, to), true);
}

static bool append_variant(DBusMessageIter *to, int type, const void *value) {
  const char signature[] = {(char)type, 0};
  DBusMessageIter variant;
  return dbus_message_iter_open_container(to, DBUS_TYPE_VARIANT, signature, &variant) &&
         dbus_message_iter_append_basic(&variant, type, value) && dbus_message_iter_close_container(to, &variant);
}

// Appends a dictionary, whose entries have this type, of those of the members that have this interface, and a type.
static bool append_values(DBusMessageIter *to, const char *entries, const struct member *from, int count,
                          const char *interface) {
  DBusMessageIter all, entry;
  bool is_complete = dbus_message_iter_open_container(to, DBUS_TYPE_ARRAY, entries, &all);
  for (const struct member *each = from; each < from + count && is_complete; each++)
    if (each->type != 0 && strcmp(each->interface, interface) == 0)
      is_complete = dbus_message_iter_open_container(&all, DBUS_TYPE_DICT_ENTRY, NULL, &entry) &&
                    dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &each->name) &&
                    append_variant(&entry, each->type, each->value) && dbus_message_iter_close_container(&all, &entry);
  return is_complete && dbus_message_iter_close_container(to, &all);
}

// Sends the value of one property of an interface, or of all. Returns false if there is none of that name.
static bool reply_values(DBusMessage *call, const char *interface, const char *name) {
  const struct member *found = members;
  while (found < members + MEMBERS && (found->type == 0 || strcmp(found->interface, interface) != 0 ||
                                       (name != NULL && strcmp(found->name, name) != 0)))
    found++;
  if (found == members + MEMBERS)
    return false;
  DBusMessageIter to;
  DBusMessage *message = dbus_message_new_method_return(call);
  post(message, begin(message, &to) && (name != NULL ? append_variant(&to, found->type, found->value)
                                                     : append_values(&to, "{sv}", members, MEMBERS, interface)));
  return true;
}

// Asks polkit whether a client may claim a sensor. Returns the serial of the question.
static dbus_uint32_t ask(const char *client) {
  const char *kind = "system-bus-name", *action = NAME ".claim-sensor", *none = "";
  const struct member name = {"", "name", DBUS_TYPE_STRING, &client};
  DBusMessageIter to, subject;
  DBusMessage *message = dbus_message_new_method_call(POLKIT, "/org/freedesktop/PolicyKit1/Authority",
                                                      POLKIT ".Authority", "CheckAuthorization");
  return post(message,
              begin(message, &to) && dbus_message_iter_open_container(&to, DBUS_TYPE_STRUCT, NULL, &subject) &&
                  dbus_message_iter_append_basic(&subject, DBUS_TYPE_STRING, &kind) &&
                  append_values(&subject, "{sv}", &name, 1, "") && dbus_message_iter_close_container(&to, &subject) &&
                  dbus_message_iter_append_basic(&to, DBUS_TYPE_STRING, &action) &&
                  append_values(&to, "{ss}", members, 0, "") &&
                  dbus_message_append_args(message, DBUS_TYPE_UINT32, &no, DBUS_TYPE_STRING, &none, DBUS_TYPE_INVALID));
}

static struct claim *claim_of(const char *client) {
  struct claim *claim = claims;
  while (claim < claims + CLAIMS && strcmp(claim->client, client) != 0)
    claim++;
  return claim < claims + CLAIMS ? claim : NULL;
}

// A client's claim lasts until it is released, or until the client leaves the bus.
static void take_claim(const char *client, dbus_uint32_t call) {
  struct claim *claim = claim_of(client);
  if (claim != NULL && claim->call == 0 && claim->check == 0)
    return reply(client, call, NULL, NULL);
  if (claim != NULL || (claim = claim_of("")) == NULL || strlen(client) >= sizeof claim->client)
    return reply(client, call, DBUS_ERROR_LIMITS_EXCEEDED, "Too many claims");
  snprintf(claim->client, sizeof claim->client, "%s", client);
  claim->call = call;
  claim->check = ask(client);
}

// `context` is the interface of the object.
static DBusHandlerResult take_call(DBusConnection *from, DBusMessage *call, void *context) {
  (void)from;
  const char *client = dbus_message_get_sender(call), *interface = "", *name = NULL;
  dbus_uint32_t serial = dbus_message_get_no_reply(call) ? 0 : dbus_message_get_serial(call);
  int method = 0;
  while (method < MEMBERS && (members[method].type != 0 ||
                              !dbus_message_is_method_call(call, members[method].interface, members[method].name)))
    method++;
  if (client == NULL || method == MEMBERS)
    return DBUS_HANDLER_RESULT_NOT_YET_HANDLED; // libdbus replies
  if (!dbus_message_has_signature(call, members[method].value)) {
    reply(client, serial, DBUS_ERROR_INVALID_ARGS, "Wrong types of arguments");
  } else if (method == CLAIM) {
    take_claim(client, serial);
  } else if (method == INTROSPECT) {
    reply(client, serial, NULL, describe(context));
  } else if (method == GET || method == GET_ALL) {
    dbus_message_get_args(call, NULL, DBUS_TYPE_STRING, &interface,
                          method == GET ? DBUS_TYPE_STRING : DBUS_TYPE_INVALID, &name, DBUS_TYPE_INVALID);
    if (!reply_values(call, interface, name))
      reply(client, serial, DBUS_ERROR_INVALID_ARGS, "No such interface or property");
  } else {
    struct claim *claim = method == RELEASE ? claim_of(client) : NULL;
    if (claim != NULL) {
      reply(client, claim->call, NULL, NULL);
      *claim = (struct claim){0};
    }
    reply(client, serial, NULL, NULL);
  }
  return DBUS_HANDLER_RESULT_HANDLED;
}

static void take_signal(DBusMessage *signal) {
  const char *name = "";
  struct claim *claim = NULL;
  if (dbus_message_is_signal(signal, DBUS_INTERFACE_LOCAL, "Disconnected"))
    news = closed;
  if (!dbus_message_has_sender(signal, DBUS_SERVICE_DBUS) ||
      !dbus_message_get_args(signal, NULL, DBUS_TYPE_STRING, &name, DBUS_TYPE_INVALID))
    return;
  // The match has asked only for names that have no owner any more.
  if (dbus_message_is_signal(signal, DBUS_INTERFACE_DBUS, "NameOwnerChanged") && (claim = claim_of(name)) != NULL)
    *claim = (struct claim){0};
  if (strcmp(name, NAME) == 0 && dbus_message_is_signal(signal, DBUS_INTERFACE_DBUS, "NameAcquired"))
    news = owned;
  if (strcmp(name, NAME) == 0 && dbus_message_is_signal(signal, DBUS_INTERFACE_DBUS, "NameLost"))
    news = taken;
}

// Anyone may claim where polkit has no say: it does not run, does not know the action, or does not answer this user,
// because iio-sensor-proxy's file of the same action precedes ours.
static bool is_authorised(DBusMessage *answer) {
  if (dbus_message_get_type(answer) == DBUS_MESSAGE_TYPE_ERROR)
    return dbus_message_is_error(answer, DBUS_ERROR_SERVICE_UNKNOWN) ||
           dbus_message_is_error(answer, DBUS_ERROR_NAME_HAS_NO_OWNER) ||
           dbus_message_is_error(answer, POLKIT ".Error.Failed") ||
           dbus_message_is_error(answer, POLKIT ".Error.NotAuthorized");
  DBusMessageIter from, result;
  dbus_bool_t is_allowed = FALSE;
  if (!dbus_message_has_signature(answer, "(bba{ss})") || !dbus_message_iter_init(answer, &from))
    return false;
  dbus_message_iter_recurse(&from, &result);
  dbus_message_iter_get_basic(&result, &is_allowed);
  return is_allowed;
}

static void take_answer(DBusMessage *answer) {
  dbus_uint32_t serial = dbus_message_get_reply_serial(answer), result = 0;
  if (serial == naming && dbus_message_get_type(answer) == DBUS_MESSAGE_TYPE_ERROR)
    news = dbus_message_is_error(answer, DBUS_ERROR_ACCESS_DENIED) ? denied : closed;
  else if (serial == naming && dbus_message_get_args(answer, NULL, DBUS_TYPE_UINT32, &result, DBUS_TYPE_INVALID) &&
           result == DBUS_REQUEST_NAME_REPLY_IN_QUEUE)
    news = taken;
  for (struct claim *claim = claims; claim < claims + CLAIMS; claim++) {
    if (claim->check == 0 || claim->check != serial)
      continue;
    claim->check = 0;
    if (is_authorised(answer))
      continue;
    reply(claim->client, claim->call, DBUS_ERROR_ACCESS_DENIED, "Not authorised: polkit refuses " NAME ".claim-sensor");
    *claim = (struct claim){0};
  }
}

static DBusHandlerResult take(DBusConnection *from, DBusMessage *message, void *context) {
  (void)from, (void)context;
  int type = dbus_message_get_type(message);
  if (type == DBUS_MESSAGE_TYPE_METHOD_CALL)
    return DBUS_HANDLER_RESULT_NOT_YET_HANDLED; // to take_call
  type == DBUS_MESSAGE_TYPE_SIGNAL ? take_signal(message) : take_answer(message);
  return DBUS_HANDLER_RESULT_HANDLED;
}

// Calls a method of the bus itself, whose arguments, if any, are a name and flags.
static dbus_uint32_t call_bus(const char *method, const char *name, dbus_uint32_t flags) {
  DBusMessage *message = dbus_message_new_method_call(DBUS_SERVICE_DBUS, DBUS_PATH_DBUS, DBUS_INTERFACE_DBUS, method);
  return post(message, message != NULL &&
                           (name == NULL || dbus_message_append_args(message, DBUS_TYPE_STRING, &name, DBUS_TYPE_UINT32,
                                                                     &flags, DBUS_TYPE_INVALID)));
}

const char *cdesktop_bus_open(void) {
  static const DBusObjectPathVTable object = {.message_function = take_call};
  static char why[175];
  const char *address = getenv("DBUS_SYSTEM_BUS_ADDRESS");
  DBusError error = DBUS_ERROR_INIT;
  dbus_connection_set_change_sigpipe(FALSE);
  bus = dbus_connection_open_private(address ? address : "unix:path=/run/dbus/system_bus_socket", &error);
  snprintf(why, sizeof why, "no system bus: %s", error.message ? error.message : "no memory");
  dbus_error_free(&error);
  if (bus == NULL)
    return why;
  dbus_connection_set_max_message_size(bus, LONGEST_MESSAGE);
  dbus_connection_set_max_received_size(bus, MOST_RECEIVED);
  if (!dbus_connection_add_filter(bus, take, NULL, NULL) ||
      !dbus_connection_register_object_path(bus, PATH, &object, (void *)NAME) ||
      !dbus_connection_register_object_path(bus, COMPASS_PATH, &object, (void *)COMPASS))
    return cdesktop_bus_close(), why;
  call_bus("Hello", NULL, 0);
  // Who leaves the bus. Before any claim, so that no client's end is missed.
  dbus_bus_add_match(bus, "type='signal',sender='" DBUS_SERVICE_DBUS "',member='NameOwnerChanged',arg2=''", NULL);
  naming = call_bus("RequestName", NAME, DBUS_NAME_FLAG_ALLOW_REPLACEMENT);
  return NULL;
}

void cdesktop_bus_close(void) {
  if (bus == NULL)
    return;
  dbus_connection_close(bus);
  dbus_connection_unref(bus);
  bus = NULL;
  memset(claims, 0, sizeof claims);
}

static bool is_full(void) { return dbus_connection_get_outgoing_size(bus) > MOST_UNSENT; }

// Sends a client what it does not know. A new one gets both values, because it may have read them before its claim.
static void tell(struct claim *claim) {
  const char *interface = NAME, *const *none = NULL;
  struct member changed[] = {members[ORIENTATION], members[ORIENTATION + 1]};
  for (int i = 0; i < 2; i++)
    if (claim->known[i] == values[i])
      changed[i].type = 0;
  DBusMessageIter to;
  DBusMessage *message = dbus_message_new_signal(PATH, DBUS_INTERFACE_PROPERTIES, "PropertiesChanged");
  post(message, begin(message, &to) && dbus_message_set_destination(message, claim->client) &&
                    dbus_message_iter_append_basic(&to, DBUS_TYPE_STRING, &interface) &&
                    append_values(&to, "{sv}", changed, 2, NAME) &&
                    dbus_message_append_args(message, DBUS_TYPE_ARRAY, DBUS_TYPE_STRING, &none, 0, DBUS_TYPE_INVALID));
  memcpy(claim->known, values, sizeof values);
}

struct cdesktop_bus_turn cdesktop_bus_turn(unsigned orientation, unsigned tilt, bool is_measured) {
  struct cdesktop_bus_turn turn = {.news = bus == NULL ? cdesktop_bus_open() : NULL, .descriptor = -1, .wait = -1};
  if (turn.news != NULL)
    return turn;
  values[0] = words[orientation];
  values[1] = words[tilt];
  news = NULL;
  for (int i = 0; i < MOST_AT_ONCE && news == NULL; i++) {
    dbus_connection_read_write(bus, 0);
    bool is_idle = dbus_connection_get_dispatch_status(bus) == DBUS_DISPATCH_COMPLETE;
    if (is_full() || (is_idle && !dbus_connection_has_messages_to_send(bus)))
      break;
    dbus_connection_dispatch(bus);
  }
  turn.news = news;
  turn.is_owned = news == owned;
  if (news == denied || news == closed) {
    cdesktop_bus_close();
    return turn;
  }
  for (struct claim *claim = claims; claim < claims + CLAIMS; claim++) {
    if (claim->client[0] == 0 || claim->check != 0)
      continue;
    turn.claims++;
    if (is_full() || (claim->call != 0 && !is_measured))
      continue;
    if (memcmp(claim->known, values, sizeof values) != 0)
      tell(claim);
    reply(claim->client, claim->call, NULL, NULL);
    claim->call = 0;
  }
  dbus_connection_get_unix_fd(bus, &turn.descriptor);
  bool has_arrived = !is_full() && dbus_connection_get_dispatch_status(bus) != DBUS_DISPATCH_COMPLETE;
  turn.wait = has_arrived ? 0 : dbus_connection_has_messages_to_send(bus) ? PAUSE : -1;
  return turn;
}
