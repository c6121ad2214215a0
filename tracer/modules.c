/* SPDX-License-Identifier: MIT
 *
 * Which objects have been told: a set of the names of mappings, with the round
 * in which each was told last.  A name is a hash of range and link map.  What
 * is loaded to the place of an unloaded object may have the same name, so
 * unloading begins a new round, and so does whatever may bring a new reader.
 * A full set means that an object is not told.
 *
 * Objects are found with _dl_find_object(), which takes no lock: stacks are
 * taken while another thread may hold the loader's.
 */
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tracer/events.h"
#include "tracer/modules.h"
#include "tracer/tracer.h"

enum { SLOTS = 2048, PROBES = 32 };

static struct {
	_Atomic uint64_t name; /* 0: free */
	_Atomic uint32_t round;
} told[SLOTS];
static _Atomic uint32_t round_now = 1;

static uint64_t name_of(const struct dl_find_object *object)
{
	uint64_t name = (uintptr_t)object->dlfo_map_start * 0x9e3779b97f4a7c15u;

	name = (name ^ name >> 29 ^ (uintptr_t)object->dlfo_map_end) * 0xbf58476d1ce4e5b9u;
	name = (name ^ name >> 32 ^ (uintptr_t)object->dlfo_link_map) * 0x94d049bb133111ebu;
	return name | 1;
}

/* The slot of that name, taken if need be; -1: the set is full. */
static int slot_of(uint64_t name)
{
	for (unsigned i = 0; i < PROBES; i++) {
		unsigned slot = (unsigned)((name >> 32) + i) % SLOTS;
		uint64_t there = atomic_load_explicit(&told[slot].name, memory_order_relaxed);

		if ((there == 0 &&
		     atomic_compare_exchange_strong(&told[slot].name, &there, name)) ||
		    there == name)
			return (int)slot;
	}
	return -1;
}

/* True once per round. */
static bool is_to_tell(const struct dl_find_object *object, uint32_t round)
{
	int slot = slot_of(name_of(object));
	uint32_t last;

	if (slot < 0)
		return false;
	last = atomic_load_explicit(&told[slot].round, memory_order_relaxed);
	return last != round && atomic_compare_exchange_strong(&told[slot].round, &last, round);
}

static void find_build_id(struct gtrace_module_record *module, uintptr_t base,
			  const ElfW(Phdr) * phdr)
{
	const char *note = (const char *)(base + phdr->p_vaddr);
	const char *end = note + phdr->p_memsz;

	while (note + sizeof(ElfW(Nhdr)) <= end) {
		const ElfW(Nhdr) *header = (const void *)note;
		const char *name = note + sizeof(*header);
		const char *content = name + ((header->n_namesz + 3u) & ~3u);

		if (header->n_type == NT_GNU_BUILD_ID && header->n_namesz == 4 &&
		    memcmp(name, "GNU", 4) == 0) {
			module->build_id = (const uint8_t *)content;
			module->build_id_size = header->n_descsz;
			return;
		}
		note = content + ((header->n_descsz + 3u) & ~3u);
	}
}

/* The main program has no name in the loader's list. */
static const char *program_path(void)
{
	static char path[PATH_MAX];

	if (!path[0]) {
		ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

		path[length < 0 ? 0 : length] = '\0';
	}
	return path;
}

static void tell(uintptr_t base, const char *name, const ElfW(Phdr) * phdr, int count)
{
	struct gtrace_module_record module = {
	    .path = name && *name ? name : program_path(),
	    .build_id = (const uint8_t *)"",
	    .base = base,
	    .low = UINT64_MAX,
	};

	for (int i = 0; i < count; i++) {
		uint64_t low = base + phdr[i].p_vaddr;

		if (phdr[i].p_type == PT_NOTE && !module.build_id_size)
			find_build_id(&module, base, &phdr[i]);
		if (phdr[i].p_type != PT_LOAD)
			continue;
		if (low < module.low)
			module.low = low;
		if (low + phdr[i].p_memsz > module.high)
			module.high = low + phdr[i].p_memsz;
	}
	if (!module.high)
		return;
	lttng_ust_do_tracepoint(gtrace, module, tracer_pid, &module);
}

static void tell_object(const struct dl_find_object *object)
{
	const ElfW(Ehdr) *header = object->dlfo_map_start;

	/* The program headers lie in the first page, right behind this one. */
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_phoff > 4096)
		return;
	tell(object->dlfo_link_map->l_addr, object->dlfo_link_map->l_name,
	     (const void *)((const char *)header + header->e_phoff), header->e_phnum);
}

/* This thread asks again and again for the same few objects. */
static void remember(const struct dl_find_object *object, uint32_t round)
{
	tracer_thread.module.round = 0; /* a signal handler must not see half of it */
	atomic_signal_fence(memory_order_seq_cst);
	tracer_thread.module.low = (uintptr_t)object->dlfo_map_start;
	tracer_thread.module.high = (uintptr_t)object->dlfo_map_end;
	atomic_signal_fence(memory_order_seq_cst);
	tracer_thread.module.round = round;
}

void modules_tell_at(const void *address)
{
	uint32_t round = atomic_load_explicit(&round_now, memory_order_relaxed);
	uintptr_t at = (uintptr_t)address;
	struct dl_find_object object;

	if (tracer_thread.module.round == round && at >= tracer_thread.module.low &&
	    at < tracer_thread.module.high)
		return;
	if (!lttng_ust_tracepoint_enabled(gtrace, module) || _dl_find_object((void *)at, &object))
		return;
	if (is_to_tell(&object, round))
		tell_object(&object);
	remember(&object, round);
}

void modules_tell(const struct gtrace_stack *stack)
{
	for (unsigned i = 0; i < stack->depth; i++)
		modules_tell_at((const void *)(uintptr_t)stack->pc[i]);
}

static int tell_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		if (info->dlpi_phdr[i].p_type == PT_LOAD) {
			modules_tell_at(
			    (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr));
			break;
		}
	}
	return 0;
}

void modules_tell_all(void)
{
	if (lttng_ust_tracepoint_enabled(gtrace, module))
		dl_iterate_phdr(tell_loaded, NULL);
}

void modules_new_round(void)
{
	atomic_fetch_add(&round_now, 1);
}
