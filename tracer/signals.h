/* SPDX-License-Identifier: MIT
 *
 * The signals of the program gtrace while a recording is under way.
 *
 * From signals_hold() on, the signals that would end gtrace are blocked: they
 * are taken one by one where it can act on them, so a recording is never left
 * half done.  Every child gives back what gtrace was started with before it
 * execs (signals_release), so programs see the mask and the dispositions
 * that they would have without gtrace.
 */
#ifndef GTRACE_SIGNALS_H
#define GTRACE_SIGNALS_H

#include <signal.h>

/* Start to hold; call once, while single threaded. */
void signals_hold(void);

/* In a child, before exec: as if gtrace had not been there. */
void signals_release(void);

/* Wait for SIGCHLD or for one of the held signals; returns its number. */
int signals_wait(siginfo_t *info);

/* A held signal that wants gtrace to end came in; 0: none.  Takes it. */
int signals_asked_to_end(void);

#endif
