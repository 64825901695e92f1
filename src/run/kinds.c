/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of launches, of which plans choose. */
#include "run/launch.h"

const plan_launch_kinds run_launch_kinds = {.program = &run_program,
                                            .routine = &run_routine,
                                            .device_program = &run_device_program,
                                            .device_routine = &run_device_routine};
