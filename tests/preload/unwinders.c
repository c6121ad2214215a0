/* SPDX-License-Identifier: MIT
 *
 * Whose _Unwind_RaiseException is found first in this program, which links
 * none?  A C++ library that is loaded later gets the same.
 */
#include <dlfcn.h>

#include "subject.h"

int main(void)
{
	void *found = dlsym(RTLD_DEFAULT, "_Unwind_RaiseException");
	Dl_info info = {.dli_fname = "none"};

	if (found)
		MUST(dladdr(found, &info));
	puts(strrchr(info.dli_fname, '/') ? strrchr(info.dli_fname, '/') + 1 : info.dli_fname);
	return 0;
}
