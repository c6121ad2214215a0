/* SPDX-License-Identifier: MIT
 *
 * How the program gtrace speaks: one line on stderr, `gtrace: what: why, and
 * what to do`, written at once so that lines of several programs do not mix.
 * stdout belongs to the recorded program.
 */
#ifndef GTRACE_SAY_H
#define GTRACE_SAY_H

__attribute__((format(printf, 1, 2))) void say(const char *format, ...);

#endif
