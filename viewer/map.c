/* SPDX-License-Identifier: MIT
 *
 * Owns the hash map: open addressing with linear probing, at most 3/4 full;
 * taking out shifts the followers back, so there are no gravestones and the
 * map does not slow down as tasks come and go.  Also the allocations that end
 * the program when they fail.
 */
#include "viewer/map.h"

#include <stdlib.h>
#include <string.h>

#include "viewer/complain.h"

struct map_slot {
	uint64_t key;
	void *value; /* NULL: free */
};

/* Numbers that follow each other stay together in memory, as the tasks of a
 * crowd run in that order; the shifts are for addresses and packed keys. */
static size_t home(const struct map *map, uint64_t key)
{
	return (size_t)(key ^ key >> 5 ^ key >> 32) & (map->capacity - 1);
}

static struct map_slot *find(const struct map *map, uint64_t key)
{
	size_t i = home(map, key);

	while (map->slots[i].value && map->slots[i].key != key)
		i = (i + 1) & (map->capacity - 1);
	return &map->slots[i];
}

void *map_get(const struct map *map, uint64_t key)
{
	return map->capacity ? find(map, key)->value : NULL;
}

static void grow(struct map *map)
{
	struct map old = *map;

	map->capacity = old.capacity ? 2 * old.capacity : 16;
	map->slots = must_alloc(map->capacity, sizeof *map->slots);
	for (size_t i = 0; i < old.capacity; i++) {
		if (old.slots[i].value)
			*find(map, old.slots[i].key) = old.slots[i];
	}
	free(old.slots);
}

void map_put(struct map *map, uint64_t key, void *value)
{
	struct map_slot *slot;

	if (4 * (map->count + 1) > 3 * map->capacity)
		grow(map);
	slot = find(map, key);
	if (!slot->value)
		map->count++;
	*slot = (struct map_slot){key, value};
}

void *map_take(struct map *map, uint64_t key)
{
	struct map_slot *hole;
	void *value;
	size_t mask = map->capacity - 1;

	if (!map->capacity || !(hole = find(map, key))->value)
		return NULL;
	value = hole->value;
	for (size_t i = (size_t)(hole - map->slots + 1) & mask; map->slots[i].value;
	     i = (i + 1) & mask) {
		size_t at = (size_t)(hole - map->slots);

		/* It may move into the hole if that lies between its home and it. */
		if (((i - home(map, map->slots[i].key)) & mask) >= ((i - at) & mask)) {
			*hole = map->slots[i];
			hole = &map->slots[i];
		}
	}
	hole->value = NULL;
	map->count--;
	return value;
}

void *map_next(const struct map *map, size_t *at)
{
	while (*at < map->capacity) {
		void *value = map->slots[(*at)++].value;

		if (value)
			return value;
	}
	return NULL;
}

void map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){0};
}

static void no_memory(void)
{
	complain("memory: none left; read fewer traces at a time");
	exit(EXIT_FAILURE);
}

void *must_alloc(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		no_memory();
	return memory;
}

void *must_grow(void *memory, size_t count, size_t size)
{
	memory = reallocarray(memory, count, size);
	if (!memory)
		no_memory();
	return memory;
}

char *must_copy(const char *text)
{
	char *copy = strdup(text ? text : "");

	if (!copy)
		no_memory();
	return copy;
}
