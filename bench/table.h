/* SPDX-License-Identifier: MIT
 *
 * Printing the wanted rows.
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <stdbool.h>

/* One line for each pair of row and peer. */
void table_print_text(int rounds);
/* {"rounds", "cpus", "rows": [{"name","unit","ns","peer","peer_ns","ratio"}...]};
 * what is not known is null and "skipped" says why. */
void table_print_json(int rounds);

#endif
