/* SPDX-License-Identifier: MIT
 *
 * How large the ring buffers of a recording are.
 */
#ifndef GTRACE_BUFFERS_H
#define GTRACE_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

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

/* "16M", "512k", "65536" → bytes, a power of two from 64 KiB on; 0: no such size. */
uint64_t buffers_parse_size(const char *text);

#endif
