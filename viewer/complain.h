/* SPDX-License-Identifier: MIT
 *
 * Standard error: one line for each thing that goes wrong, and nothing from
 * the libraries below us.
 */
#ifndef GTRACE_VIEWER_COMPLAIN_H
#define GTRACE_VIEWER_COMPLAIN_H

/* The name that lines begin with; until then "gtrace". */
void complain_as(const char *program);

/* "PROGRAM: what: why, and what to do".  Works in silence, too. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Between them, what anybody else writes to standard error is dropped. */
void silence_begin(void);
void silence_end(void);

#endif
