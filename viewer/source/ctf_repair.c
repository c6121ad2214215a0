/* SPDX-License-Identifier: MIT
 *
 * Owns what is done for a trace with a stream file that does not end where a
 * packet ends (a full disk, a daemon that was killed, a copy that broke off):
 * babeltrace2 refuses the whole trace then.
 *
 * A stream file is a row of packets, each with a header that tells its size.
 * If the last one is cut, the trace is read from a copy of the folder: links
 * to the good files, and of the cut one a copy whose last packet says that it
 * ends after its last whole event.  Where that is, is found by asking
 * babeltrace2: the number of events that it reads from the packet alone grows
 * with the length that the header claims, so the least length that gives all
 * of them is found by halving.
 *
 * This knows the packet header of LTTng 2.x (little endian) and leaves files
 * of any other form to babeltrace2.
 */
#include "viewer/source/ctf_find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "viewer/map.h"

#define MAGIC 0xc1fc1fc1u
#define EVENT_BYTES_MAX 65536 /* no event of ours is longer */

struct packet_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t stream_id;
	uint64_t stream_instance_id;
	uint64_t begin, end;
	uint64_t content_bits, packet_bits;
};

_Static_assert(sizeof(struct packet_header) == 64, "as LTTng writes it");

/* Where a stream file stops to be whole. */
struct cut {
	off_t offset;    /* of the packet that is cut */
	uint64_t length; /* bytes of it that are there */
	uint64_t events; /* of those that can be read */
};

/* --- finding the cut -----------------------------------------------------------*/

static bool read_header(int file, off_t offset, struct packet_header *header)
{
	return pread(file, header, sizeof *header, offset) == sizeof *header;
}

static bool makes_sense(const struct packet_header *header)
{
	return header->magic == MAGIC && header->packet_bits % 8 == 0 &&
	       header->packet_bits >= 8 * sizeof *header &&
	       header->content_bits <= header->packet_bits;
}

/* False: the file is whole, or no LTTng stream. */
static bool find_cut(int file, struct cut *cut)
{
	struct packet_header header;
	struct stat status;
	off_t offset = 0;

	if (fstat(file, &status) != 0 || status.st_size == 0)
		return false;
	while (offset < status.st_size) {
		bool good = read_header(file, offset, &header) && makes_sense(&header);
		off_t left = status.st_size - offset;

		if (!good && offset == 0 && left >= (off_t)sizeof header)
			return false;
		if (!good || (off_t)(header.packet_bits / 8) > left) {
			*cut = (struct cut){offset, good ? (uint64_t)left : 0, 0};
			return true;
		}
		offset += (off_t)(header.packet_bits / 8);
	}
	return false;
}

/* --- metadata ------------------------------------------------------------------*/

#define METADATA_MAGIC 0x75d11d57u

struct __attribute__((packed)) metadata_header {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t checksum;
	uint32_t content_bits, packet_bits;
};

/* babeltrace2 reads for ever in a metadata packet that is cut. */
static bool metadata_is_whole(int folder)
{
	int file = openat(folder, "metadata", O_RDONLY | O_CLOEXEC);
	struct metadata_header header;
	struct stat status;
	off_t offset = 0;

	if (file < 0 || fstat(file, &status) != 0)
		status.st_size = 0; /* babeltrace2 will say why */
	while (offset < status.st_size) {
		if (pread(file, &header, sizeof header, offset) != sizeof header ||
		    header.magic != METADATA_MAGIC || header.packet_bits < 8 * sizeof header ||
		    header.content_bits > header.packet_bits)
			break;
		offset += header.packet_bits / 8;
	}
	if (file >= 0)
		close(file);
	/* Text that is in no packets is none of ours. */
	return offset == status.st_size || offset == 0;
}

/* --- copies --------------------------------------------------------------------*/

static bool copy_bytes(int from, off_t offset, uint64_t length, int to)
{
	char buffer[65536];

	while (length > 0) {
		size_t part = length < sizeof buffer ? (size_t)length : sizeof buffer;
		ssize_t got = pread(from, buffer, part, offset);

		if (got <= 0 || write(to, buffer, (size_t)got) != got)
			return false;
		offset += got;
		length -= (uint64_t)got;
	}
	return true;
}

static char *path_in(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return must_copy(NULL);
	return path;
}

static char *new_folder(void)
{
	const char *temporary = getenv("TMPDIR");
	char *path = path_in(temporary && *temporary ? temporary : "/tmp", "gtrace-XXXXXX");

	if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}

static bool link_file(const char *folder, const char *name, const char *copy)
{
	char *from = path_in(folder, name);
	char *to = path_in(copy, name);
	char *real = realpath(from, NULL);
	bool done = real && symlink(real, to) == 0;

	free(real);
	free(from);
	free(to);
	return done;
}

static int create_file(const char *folder, const char *name)
{
	char *path = path_in(folder, name);
	int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	free(path);
	return file;
}

static void remove_folder(const char *folder)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
	rmdir(folder);
}

/* --- the last packet -----------------------------------------------------------*/

/* Let the packet at offset claim this content, and all the bytes there are. */
static bool claim(int file, off_t offset, uint64_t packet_bytes, uint64_t content_bytes)
{
	struct packet_header header;

	if (!read_header(file, offset, &header))
		return false;
	header.packet_bits = 8 * packet_bytes;
	header.content_bits = 8 * content_bytes;
	return pwrite(file, &header, sizeof header, offset) == sizeof header;
}

static uint64_t events_within(const char *folder, int file, uint64_t packet, uint64_t content)
{
	return claim(file, 0, packet, content) ? ctf_count_events(folder) : 0;
}

/* The least content with as many events as `all` has. */
static uint64_t least_content(const char *folder, int file, uint64_t packet, uint64_t all,
			      uint64_t *events)
{
	uint64_t most = events_within(folder, file, packet, all);
	uint64_t high = all, low = sizeof(struct packet_header);

	if (high - low > EVENT_BYTES_MAX)
		low = high - EVENT_BYTES_MAX;
	while (most > 0 && low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (events_within(folder, file, packet, middle) < most)
			low = middle + 1;
		else
			high = middle;
	}
	*events = most;
	return most > 0 ? high : 0;
}

/* How much of the cut packet can be kept; 0: nothing. */
static uint64_t usable_content(const char *folder, int from, struct cut *cut)
{
	struct packet_header header;
	uint64_t content = 0;
	char *lone = NULL;
	int file = -1;

	if (cut->length <= sizeof header || !read_header(from, cut->offset, &header))
		return 0;
	lone = new_folder();
	if (lone && link_file(folder, "metadata", lone))
		file = create_file(lone, "packet");
	if (file >= 0 && copy_bytes(from, cut->offset, cut->length, file)) {
		content = header.content_bits / 8;
		content = content < cut->length ? content : cut->length;
		content = least_content(lone, file, cut->length, content, &cut->events);
	}
	if (file >= 0)
		close(file);
	if (lone)
		remove_folder(lone);
	free(lone);
	return content;
}

static bool copy_cut(const char *folder, const char *name, const char *copy, int from,
		     struct cut *cut)
{
	uint64_t content = usable_content(folder, from, cut);
	uint64_t length = (uint64_t)cut->offset + (content ? cut->length : 0);
	int to;
	bool done;

	if (length == 0)
		return true; /* nothing of it is left */
	to = create_file(copy, name);
	done = to >= 0 && copy_bytes(from, 0, length, to) &&
	       (content == 0 || claim(to, cut->offset, cut->length, content));
	if (to >= 0)
		close(to);
	return done;
}

/* --- a trace -------------------------------------------------------------------*/

static bool is_stream(int folder, const struct dirent *entry)
{
	struct stat status;

	return entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata") != 0 &&
	       fstatat(folder, entry->d_name, &status, 0) == 0 && S_ISREG(status.st_mode);
}

static bool any_cut(DIR *directory)
{
	bool found = false;
	struct dirent *entry;
	struct cut cut;

	while (!found && (entry = readdir(directory))) {
		int file;

		if (!is_stream(dirfd(directory), entry))
			continue;
		file = openat(dirfd(directory), entry->d_name, O_RDONLY | O_CLOEXEC);
		found = file >= 0 && find_cut(file, &cut);
		if (file >= 0)
			close(file);
	}
	rewinddir(directory);
	return found;
}

static bool copy_stream(const struct ctf_trace *trace, const char *name,
			const struct source_sink *sink)
{
	char *path = path_in(trace->folder, name);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct cut cut;
	bool done;

	if (file >= 0 && find_cut(file, &cut)) {
		done = copy_cut(trace->folder, name, trace->copy, file, &cut);
		ctf_complain(sink,
			     "%s: cut off in its packet at byte %jd, so it is read up to there and "
			     "%" PRIu64 " events into it",
			     path, (intmax_t)cut.offset, cut.events);
	} else {
		done = link_file(trace->folder, name, trace->copy);
	}
	if (file >= 0)
		close(file);
	free(path);
	return done;
}

static bool copy_trace(const struct ctf_trace *trace, DIR *directory,
		       const struct source_sink *sink)
{
	struct dirent *entry;

	if (!trace->copy || !link_file(trace->folder, "metadata", trace->copy))
		return false;
	while ((entry = readdir(directory))) {
		if (is_stream(dirfd(directory), entry) && !copy_stream(trace, entry->d_name, sink))
			return false;
	}
	return true;
}

static void repair(struct ctf_trace *trace, DIR *directory, const struct source_sink *sink)
{
	trace->damaged = true;
	trace->copy = new_folder();
	if (copy_trace(trace, directory, sink))
		return;
	ctf_complain(sink,
		     "%s: cut off, and no room for a copy that can be read (%s); set TMPDIR "
		     "to a folder with room",
		     trace->folder, strerror(errno));
	ctf_copy_remove(trace);
}

bool ctf_check(struct ctf_trace *trace, const struct source_sink *sink)
{
	DIR *directory = opendir(trace->folder);
	bool readable = true;

	if (!directory)
		return true; /* babeltrace2 will say why */
	if (!metadata_is_whole(dirfd(directory))) {
		ctf_complain(sink,
			     "%s/metadata: cut off, so the trace cannot be read; get a whole "
			     "copy of it",
			     trace->folder);
		trace->damaged = true;
		readable = false;
	} else if (any_cut(directory)) {
		repair(trace, directory, sink);
	}
	closedir(directory);
	return readable;
}

void ctf_copy_remove(struct ctf_trace *trace)
{
	if (trace->copy)
		remove_folder(trace->copy);
	free(trace->copy);
	trace->copy = NULL;
}
