/* SPDX-License-Identifier: MIT
 *
 * Which objects have been told: a table of their address ranges, appended to
 * without a lock and never shortened within a process.  An object that is
 * unloaded stays in it; one that is loaded to its place later has another
 * range or the same path, as a rule.  A full table means that late objects are
 * told of more than once, which is harmless.
 *
 * Late objects are found with _dl_find_object(), which takes no lock: stacks
 * are taken while another thread may hold the loader's.
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

#define TOLD_MAX 1024

static struct range {
	_Atomic uintptr_t low;
	_Atomic uintptr_t high; /* 0: not filled in yet */
} told[TOLD_MAX];
static _Atomic unsigned told_count;

static bool is_told(uintptr_t pc)
{
	unsigned count = atomic_load_explicit(&told_count, memory_order_acquire);

	for (unsigned i = 0; i < count && i < TOLD_MAX; i++) {
		uintptr_t high = atomic_load_explicit(&told[i].high, memory_order_acquire);

		if (pc < high && pc >= atomic_load_explicit(&told[i].low, memory_order_relaxed))
			return true;
	}
	return false;
}

static void remember(uintptr_t low, uintptr_t high)
{
	unsigned i = atomic_fetch_add(&told_count, 1);

	if (i >= TOLD_MAX) {
		atomic_store(&told_count, TOLD_MAX);
		return;
	}
	atomic_store_explicit(&told[i].low, low, memory_order_relaxed);
	atomic_store_explicit(&told[i].high, high, memory_order_release);
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
	remember(module.low, module.high);
}

static int tell_loaded(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	tell(info->dlpi_addr, info->dlpi_name, info->dlpi_phdr, info->dlpi_phnum);
	return 0;
}

void modules_tell_all(void)
{
	if (lttng_ust_tracepoint_enabled(gtrace, module))
		dl_iterate_phdr(tell_loaded, NULL);
}

static void tell_object(uintptr_t pc)
{
	struct dl_find_object object;
	const ElfW(Ehdr) * header;

	if (_dl_find_object((void *)pc, &object))
		return;
	header = object.dlfo_map_start;
	/* The program headers lie in the first page, right behind this one. */
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_phoff > 4096)
		return;
	tell(object.dlfo_link_map->l_addr, object.dlfo_link_map->l_name,
	     (const void *)((const char *)header + header->e_phoff), header->e_phnum);
}

void modules_tell(const struct gtrace_stack *stack)
{
	if (!lttng_ust_tracepoint_enabled(gtrace, module))
		return;
	for (unsigned i = 0; i < stack->depth; i++)
		if (!is_told((uintptr_t)stack->pc[i]))
			tell_object((uintptr_t)stack->pc[i]);
}

void modules_forget(void)
{
	atomic_store(&told_count, 0);
	memset(told, 0, sizeof(told));
}
