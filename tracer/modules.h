/* SPDX-License-Identifier: MIT
 *
 * The objects that addresses in stacks belong to, told to the recording.
 */
#ifndef GTRACE_MODULES_H
#define GTRACE_MODULES_H

struct gtrace_stack;

/* Tell of all that are loaded now. */
void modules_tell_all(void);

/* Tell of those in the stack that the recording has not been told of. */
void modules_tell(const struct gtrace_stack *stack);

/* In a forked child nothing has been told yet. */
void modules_forget(void);

#endif
