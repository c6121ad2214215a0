/* SPDX-License-Identifier: MIT
 *
 * The map against a plain array, over a long random run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "viewer/map.h"

#define KEYS 200

/* Keys that share home places: neighbours, far multiples, and ends. */
static uint64_t key_of(unsigned i)
{
	return i < 100 ? i : i < 150 ? (uint64_t)i << 32 : UINT64_MAX - i;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static void check(const struct map *map, char *const *present, size_t count)
{
	size_t seen = 0;

	assert_int_equal(map->count, count);
	for (unsigned i = 0; i < KEYS; i++)
		assert_ptr_equal(map_get(map, key_of(i)), present[i]);
	for (size_t at = 0; map_next(map, &at);)
		seen++;
	assert_int_equal(seen, count);
}

static void agrees_with_an_array(void **context)
{
	static char values[KEYS], *present[KEYS];
	struct map map = {0};
	uint64_t state = 7;
	size_t count = 0;

	(void)context;
	for (int step = 0; step < 20000; step++) {
		unsigned i = (unsigned)(next_random(&state) % KEYS);
		/* Mostly filling for a while, then mostly emptying. */
		bool fill = next_random(&state) % 10 < (step / 500 % 2 ? 3u : 7u);

		if (fill) {
			count += !present[i];
			present[i] = &values[next_random(&state) % KEYS];
			map_put(&map, key_of(i), present[i]);
		} else {
			assert_ptr_equal(map_take(&map, key_of(i)), present[i]);
			count -= present[i] != NULL;
			present[i] = NULL;
		}
		check(&map, present, count);
	}
	map_free(&map);
}

static void an_empty_map_has_nothing(void **context)
{
	struct map map = {0};
	size_t at = 0;

	(void)context;
	assert_null(map_get(&map, 0));
	assert_null(map_take(&map, 0));
	assert_null(map_next(&map, &at));
	map_free(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(agrees_with_an_array),
	    cmocka_unit_test(an_empty_map_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
