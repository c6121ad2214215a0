/* SPDX-License-Identifier: MIT
 *
 * See elf_check.h.
 */
#include "tracer/elf_check.h"
#include "tracer/say.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#define OUR_LOADER "ld-linux-x86-64.so"
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#define OUR_LOADER "ld-linux-aarch64.so"
#else
#error "gtrace knows x86-64 and aarch64"
#endif

#define EXIT_REFUSED 1
#define EXIT_NOT_A_PROGRAM 126
#define EXIT_NOT_FOUND 127

/* A script may name a script; the kernel goes no deeper. */
#define MAX_INTERPRETERS 4

/* What is known of one ELF file. */
struct program {
	char loader[PATH_MAX]; /* PT_INTERP; "": none */
	bool go;
};

static bool note_is_go(Elf *elf, const GElf_Phdr *segment)
{
	Elf_Data *data =
	    elf_getdata_rawchunk(elf, (int64_t)segment->p_offset, segment->p_filesz, ELF_T_NHDR);
	size_t offset = 0, next, name, description;
	GElf_Nhdr note;

	while (data && (next = gelf_getnote(data, offset, &note, &name, &description)) > 0) {
		if (note.n_namesz == sizeof("Go") &&
		    memcmp((const char *)data->d_buf + name, "Go", sizeof("Go")) == 0)
			return true;
		offset = next;
	}
	return false;
}

static bool has_go_section(Elf *elf)
{
	size_t names;
	Elf_Scn *section = NULL;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name =
		    gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (name &&
		    (strcmp(name, ".go.buildinfo") == 0 || strcmp(name, ".note.go.buildid") == 0))
			return true;
	}
	return false;
}

static void read_program(Elf *elf, struct program *program)
{
	size_t segments = 0;

	program->go = has_go_section(elf);
	elf_getphdrnum(elf, &segments);
	for (size_t i = 0; i < segments; i++) {
		GElf_Phdr segment;
		if (!gelf_getphdr(elf, (int)i, &segment))
			continue;
		if (segment.p_type == PT_NOTE)
			program->go |= note_is_go(elf, &segment);
		if (segment.p_type != PT_INTERP || segment.p_filesz >= sizeof(program->loader))
			continue;
		Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset,
						      segment.p_filesz, ELF_T_BYTE);
		if (data)
			memcpy(program->loader, data->d_buf, data->d_size);
	}
}

static int check_loader(const char *path, const struct program *program)
{
	if (!program->loader[0]) {
		say("%s: statically linked: LD_PRELOAD cannot see it; %s", path,
		    program->go ? "it is a Go program: record its own execution trace "
				  "(runtime/trace, go test -trace, /debug/pprof/trace)"
				: "link it dynamically (without -static)");
		return EXIT_REFUSED;
	}
	if (!strstr(program->loader, OUR_LOADER)) {
		say("%s: its loader is %s, and libgtrace.so needs glibc's: build the program for "
		    "glibc",
		    path, program->loader);
		return EXIT_REFUSED;
	}
	if (program->go)
		say("%s: Go program: only C calls and thread creation are visible", path);
	return 0;
}

static int check_elf(const char *path, int fd)
{
	struct program program = {0};
	GElf_Ehdr header;
	int refused;

	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || !gelf_getehdr(elf, &header)) {
		say("%s: damaged ELF file: %s", path, elf_errmsg(-1));
		elf_end(elf);
		return EXIT_NOT_A_PROGRAM;
	}
	if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != OUR_MACHINE) {
		say("%s: %s: libgtrace.so is 64-bit code for this machine and cannot be loaded "
		    "into it; build a 64-bit program",
		    path,
		    header.e_ident[EI_CLASS] == ELFCLASS32 ? "32-bit program"
							   : "program for another machine");
		refused = EXIT_REFUSED;
	} else {
		read_program(elf, &program);
		refused = check_loader(path, &program);
	}
	elf_end(elf);
	return refused;
}

/*
 * Whether executing path gives the program rights beyond ours: then the loader
 * ignores LD_PRELOAD.  Not so where the right is one that we have, on a nosuid
 * mount, or where set-id is off for us altogether.
 */
static const char *gains_rights(const char *path)
{
	struct stat file;
	struct statvfs mount;

	if (stat(path, &file) || statvfs(path, &mount) || (mount.f_flag & ST_NOSUID) ||
	    prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
		return NULL;
	if ((file.st_mode & S_ISUID) && file.st_uid != getuid())
		return "set-user-id program";
	if ((file.st_mode & S_ISGID) && (file.st_mode & S_IXGRP) && file.st_gid != getgid())
		return "set-group-id program";
	if (getuid() != 0 && getxattr(path, "security.capability", NULL, 0) > 0)
		return "program with file capabilities";
	return NULL;
}

static int check_rights(const char *path)
{
	const char *gain = gains_rights(path);

	if (!gain)
		return 0;
	say("%s: %s: the loader ignores LD_PRELOAD for it; record a copy of it (cp drops those "
	    "rights), or run gtrace as the user that it becomes",
	    path, gain);
	return EXIT_REFUSED;
}

/* "#! /usr/bin/env python3" → "/usr/bin/env". */
static bool interpreter_of(const char *start, char *interpreter, size_t size)
{
	start += strlen("#!");
	start += strspn(start, " \t");
	size_t length = strcspn(start, " \t\r\n");

	return length > 0 && (size_t)snprintf(interpreter, size, "%.*s", (int)length, start) < size;
}

static int check_file(const char *path, int depth);

static int check_script(const char *path, const char *start, int depth)
{
	char interpreter[PATH_MAX];

	if (!interpreter_of(start, interpreter, sizeof(interpreter)) || depth > MAX_INTERPRETERS) {
		say("%s: its #! line names no interpreter", path);
		return EXIT_NOT_A_PROGRAM;
	}
	if (access(interpreter, X_OK)) {
		say("%s: its interpreter %s: %s", path, interpreter, strerror(errno));
		return errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_A_PROGRAM;
	}
	return check_file(interpreter, depth + 1);
}

static int check_content(const char *path, int fd, int depth)
{
	char start[PATH_MAX] = "";
	ssize_t got = pread(fd, start, sizeof(start) - 1, 0);

	if (got >= SELFMAG && memcmp(start, ELFMAG, SELFMAG) == 0) {
		int refused = check_rights(path);
		return refused ? refused : check_elf(path, fd);
	}
	/* The kernel ignores set-id bits of scripts. */
	if (strncmp(start, "#!", 2) == 0)
		return check_script(path, start, depth);
	say("%s: not a program: neither an ELF file nor a script that starts with #!", path);
	return EXIT_NOT_A_PROGRAM;
}

static int check_file(const char *path, int depth)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		/* May be run, may not be read: no reason to refuse. */
		int refused = check_rights(path);
		if (!refused)
			say("%s: not checked whether LD_PRELOAD can work: %s", path,
			    strerror(errno));
		return refused;
	}
	int refused = check_content(path, fd, depth);
	close(fd);
	return refused;
}

int elf_check(const char *path)
{
	return check_file(path, 0);
}
