/* SPDX-License-Identifier: MIT
 *
 * The other user as whom a daemon of root runs where it cannot have a mount
 * namespace (see keeper.h).
 */
#ifndef GTRACE_IDENTITY_H
#define GTRACE_IDENTITY_H

#include <stdbool.h>

/* "nobody" of Debian, and what the kernel shows for users that it cannot map. */
#define IDENTITY_OTHER 65534

/*
 * In a child of root, before exec: become IDENTITY_OTHER, with the one right
 * of root that the daemon needs to write into the folder of a recording
 * wherever that is (CAP_DAC_OVERRIDE).  False and errno where that may not be.
 */
bool identity_become_other(void);

#endif
