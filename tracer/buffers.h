/* SPDX-License-Identifier: MIT
 *
 * How large the ring buffers of a recording are.
 */
#ifndef GTRACE_BUFFERS_H
#define GTRACE_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

/* Of one sub-buffer, in bytes */
#define BUFFERS_SMALLEST (UINT64_C(64) << 10)
#define BUFFERS_LARGEST (UINT64_C(1) << 30)

struct buffers {
	uint64_t sub_buffer_bytes; /* a power of two */
	unsigned sub_buffers;      /* per CPU */
	unsigned cpus;
};

/*
 * Choose sizes that fit the free memory behind /dev/shm, where LTTng keeps
 * them.  wanted_bytes: a sub-buffer size that the user asks for, 0: choose.
 * Says what it had to do where that is less than good.  Returns false, and has
 * said so, where there is no room.
 */
bool buffers_plan(uint64_t wanted_bytes, struct buffers *plan);

/* "16M", "512k", "65536" → bytes, a power of two from BUFFERS_SMALLEST to
 * BUFFERS_LARGEST; 0: no such size. */
uint64_t buffers_parse_size(const char *text);

#endif
