#include "cdesktop.h"

// Until there is a function.
typedef int cdesktop_nothing;
