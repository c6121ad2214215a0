/* SPDX-License-Identifier: MIT
 *
 * Where the libraries of lttng-ust and libunwind lie.  They are found at the
 * first question, which lttng-ust's own constructor asks, and stay: our library
 * needs them.
 */
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "preload/lttng.h"

#define LIBRARIES_MAX 8

static struct {
	uintptr_t low, high;
} libraries[LIBRARIES_MAX];
static _Atomic int count = -1; /* not looked yet */

static int add_library(struct dl_phdr_info *info, size_t size, void *arg)
{
	int *found = arg;
	uintptr_t low = UINTPTR_MAX, high = 0;

	(void)size;
	if ((!strstr(info->dlpi_name, "/liblttng-ust") &&
	     !strstr(info->dlpi_name, "/libunwind.so")) ||
	    *found == LIBRARIES_MAX)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t at = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD)
			continue;
		if (at < low)
			low = at;
		if (at + info->dlpi_phdr[i].p_memsz > high)
			high = at + info->dlpi_phdr[i].p_memsz;
	}
	libraries[*found].low = low;
	libraries[*found].high = high;
	(*found)++;
	return 0;
}

/* Two threads that look at once find the same. */
static int look(void)
{
	int found = 0;

	dl_iterate_phdr(add_library, &found);
	atomic_store_explicit(&count, found, memory_order_release);
	return found;
}

bool lttng_owns(const void *site)
{
	int libraries_count = atomic_load_explicit(&count, memory_order_acquire);

	if (__builtin_expect(libraries_count < 0, 0))
		libraries_count = look();
	for (int i = 0; i < libraries_count; i++)
		if ((uintptr_t)site >= libraries[i].low && (uintptr_t)site < libraries[i].high)
			return true;
	return false;
}
