/* SPDX-License-Identifier: MIT
 *
 * GTRACE_MODE: what is done with the calls of tasks.
 */
#ifndef GTRACE_MODE_H
#define GTRACE_MODE_H

#include "tracer/vocabulary.h"

/* Read from the environment once, by mode_read(). */
enum gtrace_preload_mode mode_get(void);
void mode_read(void);

#endif
