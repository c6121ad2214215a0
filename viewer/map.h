/* SPDX-License-Identifier: MIT
 *
 * A map from numbers to pointers: tasks, workers and threads by their number,
 * event classes by their address.
 */
#ifndef GTRACE_VIEWER_MAP_H
#define GTRACE_VIEWER_MAP_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialise; map_free() gives its memory back, not that of the values. */
struct map {
	struct map_slot *slots;
	size_t capacity; /* 0 or a power of two */
	size_t count;
};

/* NULL: not there. */
void *map_get(const struct map *map, uint64_t key);
/* value may not be NULL; what was there is replaced. */
void map_put(struct map *map, uint64_t key, void *value);
/* Returns what was there. */
void *map_take(struct map *map, uint64_t key);
void map_free(struct map *map);

/* Walk: for (size_t at = 0; (value = map_next(map, &at));) in no order; the
 * map must not change meanwhile. */
void *map_next(const struct map *map, size_t *at);

/* Memory that is never short: the program ends with a message instead. */
void *must_alloc(size_t count, size_t size); /* zeroed */
void *must_grow(void *memory, size_t count, size_t size);
char *must_copy(const char *text); /* NULL: "" */

#endif
