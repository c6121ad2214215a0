/* SPDX-License-Identifier: MIT
 *
 * Loads a library in several ways and has it sleep: `local` and `again` (after
 * it was unloaded) are to be seen, `deep` (RTLD_DEEPBIND) binds to libc and is
 * not.  Threads load and unload it while others sleep.
 * Prints the addresses that the library had.
 */
#include <dlfcn.h>

#include "subject.h"

typedef int plug_fn(void);

static const char *library;

static void plug(const char *name, int flags)
{
	void *handle = dlopen(library, RTLD_NOW | flags);
	plug_fn *fn;

	MUST(handle);
	*(void **)&fn = dlsym(handle, "plug_sleep");
	MUST(fn && fn() == 0);
	if (name)
		printf("%s %llu\n", name, (unsigned long long)(uintptr_t)fn);
	MUST(dlclose(handle) == 0);
}

static void *plug_often(void *nothing)
{
	(void)nothing;
	for (int i = 0; i < 50; i++)
		plug(NULL, RTLD_LOCAL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[4];

	MUST(argc == 2);
	library = argv[1];
	plug("local", RTLD_LOCAL);
	plug("again", RTLD_LOCAL);
	for (int i = 0; i < 4; i++)
		MUST(pthread_create(&thread[i], NULL, plug_often, NULL) == 0);
	for (int i = 0; i < 4; i++)
		MUST(pthread_join(thread[i], NULL) == 0);
	plug("deep", RTLD_DEEPBIND);
	return 0;
}
