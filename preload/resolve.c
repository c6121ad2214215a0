/* SPDX-License-Identifier: MIT
 *
 * Looking up the functions behind ours.
 */
#include <dlfcn.h>
#include <errno.h>

#include "preload/resolve.h"

static long missing(void)
{
	errno = ENOSYS;
	return -1;
}

void *resolve(const char *name, const char *version)
{
	int error = errno;
	void *found = version ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);

	/* Another machine's libc has other versions. */
	if (!found && version)
		found = dlsym(RTLD_NEXT, name);
	errno = error;
	return found ? found : (void *)missing;
}
