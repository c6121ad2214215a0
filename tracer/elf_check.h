/* SPDX-License-Identifier: MIT
 *
 * Whether LD_PRELOAD can work on a program, told before it is started.
 *
 * The dynamic loader ignores LD_PRELOAD, without a word or with one that is
 * easily missed, for programs that it does not load (static ones), does not
 * trust (set-id, capabilities) or that are built for another machine.
 */
#ifndef GTRACE_ELF_CHECK_H
#define GTRACE_ELF_CHECK_H

#include <stdbool.h>

/*
 * Look at the program behind path (one that may be executed), and at the
 * interpreter of a script.  Says in one line what speaks against recording it,
 * or what will be missing in the recording.  Returns 0 where it can be
 * recorded, else the exit code for gtrace.
 */
int elf_check(const char *path);

#endif
