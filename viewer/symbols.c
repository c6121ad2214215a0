/* SPDX-License-Identifier: MIT
 *
 * Owns the way from an address to a name: the recorded modules say which file
 * it is in, libdw what is there.  Each file is opened once, whatever many
 * processes mapped it where; each address is looked up once.
 *
 * A file that is not the recorded one any more (its build-id differs) gives no
 * names rather than wrong ones.
 */
#include "viewer/symbols.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/map.h"

struct file {
	char *path;
	struct event_build_id build_id;
	Dwfl *dwfl;          /* NULL: cannot be read */
	Dwfl_Module *module; /* NULL likewise */
	struct map found;    /* by address in the file */
};

struct found {
	struct symbol symbol;
	char *function, *source;
};

struct symbols {
	struct file **files;
	size_t count;
	struct map nowhere; /* found, by address: in no module */
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

struct symbols *symbols_open(void)
{
	return must_alloc(1, sizeof(struct symbols));
}

/* --- files ---------------------------------------------------------------------*/

static bool is_recorded(Dwfl_Module *module, const struct event_build_id *recorded)
{
	const unsigned char *bits;
	GElf_Addr address;
	int size = dwfl_module_build_id(module, &bits, &address);

	if (recorded->size == 0 || size <= 0)
		return true; /* nothing to compare */
	return (uint32_t)size == recorded->size &&
	       memcmp(bits, recorded->bytes, recorded->size) == 0;
}

/* Reported without bias: addresses are then those in the file. */
static void open_file(struct file *file)
{
	GElf_Addr bias;

	if (file->path[0] != '/')
		return; /* the vdso, or nothing */
	file->dwfl = dwfl_begin(&callbacks);
	if (!file->dwfl)
		return;
	dwfl_report_begin(file->dwfl);
	file->module = dwfl_report_elf(file->dwfl, file->path, file->path, -1, 0, true);
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (file->module && (!dwfl_module_getelf(file->module, &bias) ||
			     !is_recorded(file->module, &file->build_id)))
		file->module = NULL;
}

static bool same_file(const struct file *file, const struct module *module)
{
	return strcmp(file->path, module->path) == 0 &&
	       file->build_id.size == module->build_id.size &&
	       memcmp(file->build_id.bytes, module->build_id.bytes, file->build_id.size) == 0;
}

static struct file *file_of(struct symbols *symbols, const struct module *module)
{
	struct file *file;

	for (size_t i = 0; i < symbols->count; i++) {
		if (same_file(symbols->files[i], module))
			return symbols->files[i];
	}
	file = must_alloc(1, sizeof *file);
	file->path = must_copy(module->path);
	file->build_id = module->build_id;
	open_file(file);
	symbols->files = must_grow(symbols->files, symbols->count + 1, sizeof file);
	return symbols->files[symbols->count++] = file;
}

/* --- addresses -----------------------------------------------------------------*/

static char *plain_name(const char *format, const char *module, uint64_t address)
{
	char name[512];

	snprintf(name, sizeof name, format, module, (unsigned long long)address);
	return must_copy(name);
}

/* Compilers record ../src/x.c as seen from the build folder. */
static const char *trimmed(const char *path)
{
	while (strncmp(path, "../", 3) == 0 || strncmp(path, "./", 2) == 0)
		path = strchr(path, '/') + 1;
	return path;
}

static void look_up_line(struct file *file, uint64_t address, struct found *found)
{
	Dwfl_Line *line = dwfl_module_getsrc(file->module, address);
	const char *source =
	    line ? dwfl_lineinfo(line, NULL, &found->symbol.line, NULL, NULL, NULL) : NULL;

	found->source = must_copy(source ? trimmed(source) : "");
}

static struct found *look_up(struct file *file, uint64_t address)
{
	struct found *found = must_alloc(1, sizeof *found);
	const char *slash = strrchr(file->path, '/');
	const char *name = NULL;

	if (file->module) {
		name = dwfl_module_addrname(file->module, address);
		look_up_line(file, address, found);
	}
	found->function = name ? must_copy(name)
			       : plain_name("%s+0x%llx", slash ? slash + 1 : file->path, address);
	found->symbol.function = found->function;
	found->symbol.file = found->source ? found->source : "";
	return found;
}

static const struct module *module_of(const struct process *process, uint64_t address)
{
	/* The newest first: a dlopened one may lie where another one was. */
	for (uint32_t i = process->module_count; i-- > 0;) {
		if (address >= process->modules[i].low && address < process->modules[i].high)
			return &process->modules[i];
	}
	return NULL;
}

static const struct symbol *nowhere(struct symbols *symbols, uint64_t address)
{
	struct found *found = map_get(&symbols->nowhere, address);

	if (!found) {
		found = must_alloc(1, sizeof *found);
		found->function = plain_name("%s0x%llx", "", address);
		found->symbol.function = found->function;
		found->symbol.file = "";
		map_put(&symbols->nowhere, address, found);
	}
	return &found->symbol;
}

const struct symbol *symbols_entry(struct symbols *symbols, const struct process *process,
				   uint64_t address)
{
	const struct module *module = module_of(process, address);
	struct found *found;
	struct file *file;

	if (!module)
		return nowhere(symbols, address);
	file = file_of(symbols, module);
	address -= module->base;
	found = map_get(&file->found, address);
	if (!found) {
		found = look_up(file, address);
		map_put(&file->found, address, found);
	}
	return &found->symbol;
}

const struct symbol *symbols_call(struct symbols *symbols, const struct process *process,
				  uint64_t address)
{
	return symbols_entry(symbols, process, address ? address - 1 : 0);
}

static void free_found(struct map *map)
{
	struct found *found;

	for (size_t at = 0; (found = map_next(map, &at));) {
		free(found->function);
		free(found->source);
		free(found);
	}
	map_free(map);
}

void symbols_close(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++) {
		struct file *file = symbols->files[i];

		free_found(&file->found);
		if (file->dwfl)
			dwfl_end(file->dwfl);
		free(file->path);
		free(file);
	}
	free_found(&symbols->nowhere);
	free(symbols->files);
	free(symbols);
}
