/* SPDX-License-Identifier: MIT
 *
 * The programs that make the measurements: where they are, and whether.
 */
#ifndef BENCH_PROGRAMS_H
#define BENCH_PROGRAMS_H

#include "bench/rows.h"

/* Find them beside this program, and build what has to be built.  Where one
 * cannot run, its sources say why.  Ends the program if there is no room for
 * temporary files. */
void programs_prepare(void);
/* Remove all temporary files. */
void programs_end(void);

/* Take one more value of a source. */
void programs_measure(struct source *source);

#endif
