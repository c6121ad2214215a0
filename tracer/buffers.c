/* SPDX-License-Identifier: MIT
 *
 * See buffers.h.
 *
 * LTTng allocates the buffers when a traced program registers, and only its
 * debug output would tell that there was no room: so it is checked before.
 */
#include "tracer/buffers.h"
#include "tracer/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define SHM_FOLDER "/dev/shm"

#define SUB_BUFFERS 4u
/* Below this, bursts of a few hundred thousand events were seen to be lost. */
#define GOOD (4 * MIB)
/* What is taken beyond GOOD only where it is cheap: all CPUs together. */
#define PLENTY (8 * MIB)
#define CHEAP_TOTAL (512 * MIB)

/* LTTng makes buffers for every CPU that may ever be there, not for those
 * that are online. */
static unsigned possible_cpus(void)
{
	long configured = sysconf(_SC_NPROCESSORS_CONF);
	unsigned cpus = configured > 0 ? (unsigned)configured : 1;
	char mask[256];
	FILE *file = fopen("/sys/devices/system/cpu/possible", "re");

	if (!file)
		return cpus;
	if (fgets(mask, sizeof(mask), file)) {
		size_t last = strcspn(mask, "\n");
		while (last > 0 && mask[last - 1] >= '0' && mask[last - 1] <= '9')
			last--;
		unsigned long highest = strtoul(mask + last, NULL, 10);
		if (highest + 1 > cpus)
			cpus = (unsigned)highest + 1;
	}
	fclose(file);
	return cpus;
}

static uint64_t total(uint64_t sub_buffer_bytes, unsigned cpus)
{
	return sub_buffer_bytes * SUB_BUFFERS * cpus;
}

/* Half of the room is left to the programs that share /dev/shm. */
static uint64_t choose(uint64_t room, unsigned cpus)
{
	for (uint64_t size = PLENTY; size >= BUFFERS_SMALLEST; size /= 2) {
		if (size > GOOD && total(size, cpus) > CHEAP_TOTAL)
			continue;
		if (total(size, cpus) <= room / 2)
			return size;
	}
	return 0;
}

bool buffers_plan(uint64_t wanted_bytes, struct buffers *plan)
{
	struct statvfs shm;

	if (statvfs(SHM_FOLDER, &shm)) {
		say("%s: %s: LTTng keeps its buffers there, mount a tmpfs on it", SHM_FOLDER,
		    strerror(errno));
		return false;
	}
	uint64_t room = (uint64_t)shm.f_bavail * shm.f_frsize;
	unsigned cpus = possible_cpus();
	uint64_t size = wanted_bytes ? wanted_bytes : choose(room, cpus);
	uint64_t least =
	    wanted_bytes ? total(wanted_bytes, cpus) : 2 * total(BUFFERS_SMALLEST, cpus);

	if (size == 0 || least > room) {
		say("%s: %llu KiB free, and the buffers for %u CPUs need %llu KiB: remove files "
		    "there or enlarge it (mount -o remount,size=1G %s; docker run --shm-size=1g)",
		    SHM_FOLDER, (unsigned long long)(room / KIB), cpus,
		    (unsigned long long)(least / KIB), SHM_FOLDER);
		return false;
	}
	if (size < GOOD && !wanted_bytes)
		say("%s: only %llu MiB free: sub-buffers of %llu KiB instead of %llu KiB, events "
		    "may be lost in bursts",
		    SHM_FOLDER, (unsigned long long)(room / MIB), (unsigned long long)(size / KIB),
		    (unsigned long long)(GOOD / KIB));
	*plan =
	    (struct buffers){.sub_buffer_bytes = size, .sub_buffers = SUB_BUFFERS, .cpus = cpus};
	return true;
}

uint64_t buffers_parse_size(const char *text)
{
	char *end;
	unsigned long long bytes = strtoull(text, &end, 10);

	if (end == text || *text == '-' || bytes > UINT32_MAX)
		return 0;
	if (*end == 'k' || *end == 'K')
		bytes *= KIB, end++;
	else if (*end == 'm' || *end == 'M')
		bytes *= MIB, end++;
	else if (*end == 'g' || *end == 'G')
		bytes *= 1024 * MIB, end++;
	if (*end || bytes < BUFFERS_SMALLEST || bytes > BUFFERS_LARGEST || (bytes & (bytes - 1)))
		return 0;
	return bytes;
}
