/* SPDX-License-Identifier: MIT
 *
 * The words of a recording, by their numbers.  A number without a word (of a
 * newer recorder, or of a damaged event) is named "?".
 */
#ifndef GTRACE_VIEWER_NAMES_H
#define GTRACE_VIEWER_NAMES_H

#include <stdint.h>

const char *name_of_call(int64_t call);
const char *name_of_mode(int64_t preload_mode);
const char *name_of_handoff_mode(int64_t mode);
/* "call", "runnable" …, and what a reader is told of it. */
const char *name_of_cause(int64_t cause);
const char *text_of_cause(int64_t cause);

#endif
