/* SPDX-License-Identifier: MIT
 *
 * Loads one library, has it sleep, unloads it, and does the same with another,
 * which comes to lie in its place.  Prints where each was.
 */
#include <dlfcn.h>

#include "subject.h"

static void plug(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW);
	int (*fn)(void);

	MUST(handle);
	*(void **)&fn = dlsym(handle, "plug_sleep");
	MUST(fn && fn() == 0);
	printf("%s %llu\n", library, (unsigned long long)(uintptr_t)fn);
	MUST(dlclose(handle) == 0);
}

int main(int argc, char **argv)
{
	printf("main %llu\n", (unsigned long long)(uintptr_t)main);
	printf("plug %llu\n", (unsigned long long)(uintptr_t)plug);
	for (int i = 1; i < argc; i++)
		plug(argv[i]);
	return 0;
}
