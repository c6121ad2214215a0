/* SPDX-License-Identifier: MIT
 *
 * How facts begin; the rest of their interface is in common.h.
 */
#ifndef WORKLOADS_FACTS_H
#define WORKLOADS_FACTS_H

#include <stdbool.h>

/* Called once, by facts_begin(). */
void facts_open(bool json);

#endif
