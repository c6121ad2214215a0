/* SPDX-License-Identifier: MIT
 *
 * See identity.h.
 */
#include "tracer/identity.h"

#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc has no wrapper, and libcap would be a dependency for this alone. */
static bool keep_only(unsigned capability)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
	const uint32_t bit = CAP_TO_MASK(capability);
	struct __user_cap_data_struct *part = &data[CAP_TO_INDEX(capability)];

	part->effective = part->permitted = part->inheritable = bit;
	return syscall(SYS_capset, &header, data) == 0 &&
	       /* Only an ambient capability outlives exec without root, and it
		* does not make the loader distrust the environment. */
	       prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) == 0;
}

bool identity_become_other(void)
{
	return prctl(PR_SET_KEEPCAPS, 1) == 0 && setgroups(0, NULL) == 0 &&
	       setresgid(IDENTITY_OTHER, IDENTITY_OTHER, IDENTITY_OTHER) == 0 &&
	       setresuid(IDENTITY_OTHER, IDENTITY_OTHER, IDENTITY_OTHER) == 0 &&
	       keep_only(CAP_DAC_OVERRIDE);
}
