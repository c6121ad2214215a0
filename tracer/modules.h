/* SPDX-License-Identifier: MIT
 *
 * The objects that addresses in stacks belong to, told to the recording.
 */
#ifndef GTRACE_MODULES_H
#define GTRACE_MODULES_H

struct gtrace_stack;

/* Tell of all that are loaded now.  Takes the loader's lock. */
void modules_tell_all(void);

/* Tell of the one at this address, unless that was done in this round.  These
 * two take no lock and may be called in a signal handler. */
void modules_tell_at(const void *address);
void modules_tell(const struct gtrace_stack *stack);

/* What was told may be wrong or unknown from here on. */
void modules_new_round(void);

#endif
