// What a game sees: prints each joystick of SDL 2, with the values of its axes and buttons.
//
// It loads SDL without its headers, which a machine that builds this need not have.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

#define SDL_INIT_JOYSTICK 0x200u

static void *library;

static void *function(const char *name) {
  void *found = dlsym(library, name);
  if (!found)
    fprintf(stderr, "sdl: %s\n", dlerror());
  return found;
}

int main(void) {
  library = dlopen("libSDL2-2.0.so.0", RTLD_NOW);
  if (!library) {
    fprintf(stderr, "sdl: %s\n", dlerror());
    return 1;
  }
  int (*begin)(uint32_t) = function("SDL_Init");
  int (*count)(void) = function("SDL_NumJoysticks");
  void *(*open)(int) = function("SDL_JoystickOpen");
  const char *(*name)(void *) = function("SDL_JoystickName");
  int (*axes)(void *) = function("SDL_JoystickNumAxes"), (*buttons)(void *) = function("SDL_JoystickNumButtons");
  void (*update)(void) = function("SDL_JoystickUpdate");
  int16_t (*axis)(void *, int) = function("SDL_JoystickGetAxis");
  uint8_t (*button)(void *, int) = function("SDL_JoystickGetButton");
  if (!begin || !count || !open || !name || !axes || !buttons || !update || !axis || !button ||
      begin(SDL_INIT_JOYSTICK) != 0)
    return 1;
  for (int index = 0; index < count(); index++) {
    void *joystick = open(index);
    // The state arrives with the first update, as events.
    update();
    update();
    printf("%s: %d axes", name(joystick), axes(joystick));
    for (int number = 0; number < axes(joystick); number++)
      printf(" %d", axis(joystick, number));
    printf(", %d buttons", buttons(joystick));
    for (int number = 0; number < buttons(joystick); number++)
      printf(" %d", button(joystick, number));
    putchar('\n');
  }
  return 0;
}
