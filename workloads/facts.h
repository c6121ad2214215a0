/* SPDX-License-Identifier: MIT
 *
 * How facts begin; the rest of their interface is in common.h.
 */
#ifndef WORKLOADS_FACTS_H
#define WORKLOADS_FACTS_H

#include <stdbool.h>

/* Called once, by workload_begin(). */
void facts_begin(const char *workload, bool json);

#endif
