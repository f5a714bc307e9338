// A program that takes the address of every function in the library, so that all of it is linked.
#include <plumb.h>
#include <plumb_fusion.h>
#include <plumb_movement.h>
#include <plumb_rest.h>
#include <plumb_taps.h>
#include <plumb_tare.h>
#include <plumb_vibration.h>

typedef void (*function_t)(void);
volatile function_t functions[] = {
    (function_t)plumb_atan2,
    (function_t)plumb_asin,
    (function_t)plumb_acos,
    (function_t)plumb_sincos,
    (function_t)plumb_degrees,
    (function_t)plumb_sqrt,
    (function_t)plumb_hypot,
    (function_t)plumb_config_default,
    (function_t)plumb_monitor_init,
    (function_t)plumb_monitor_step,
    (function_t)plumb_monitor_expire,
    (function_t)plumb_monitor_fail,
    (function_t)plumb_monitor_pose,
    (function_t)plumb_movement_config_default,
    (function_t)plumb_movement_init,
    (function_t)plumb_movement_step,
    (function_t)plumb_movement_tick,
    (function_t)plumb_movement_capture_rest,
    (function_t)plumb_movement_scroll_to,
    (function_t)plumb_taps_config_default,
    (function_t)plumb_taps_init,
    (function_t)plumb_taps_step,
    (function_t)plumb_fusion_config_default,
    (function_t)plumb_fusion_init,
    (function_t)plumb_fusion_step,
    (function_t)plumb_fusion_up,
    (function_t)plumb_fusion_heading,
    (function_t)plumb_fusion_rate,
    (function_t)plumb_fusion_bias,
    (function_t)plumb_fusion_flags,
    (function_t)plumb_config_fused,
    (function_t)plumb_monitor_step_fused,
    (function_t)plumb_rest_init,
    (function_t)plumb_rest_step,
    (function_t)plumb_rest_interrupt,
    (function_t)plumb_tare_init,
    (function_t)plumb_tare_begin,
    (function_t)plumb_tare_step,
    (function_t)plumb_tare_undo,
    (function_t)plumb_tare_up,
    (function_t)plumb_tare_set,
    (function_t)plumb_tare_angles,
    (function_t)plumb_vibration_config_default,
    (function_t)plumb_vibration_init,
    (function_t)plumb_vibration_step,
    (function_t)plumb_vibration_edges,
};

int main(void) { return functions[0] == 0; }

#ifdef BARE
// libgcc for ARM Linux calls this when a program divides by zero, which the library never does.
int raise(int number);
int raise(int number) { return number; }
#endif
