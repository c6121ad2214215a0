/* SPDX-License-Identifier: MIT
 *
 * See lttng_session.h.
 */
#include "tracer/lttng_session.h"
#include "tracer/say.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHANNEL "gtrace"
#define ANSWER_MS 30000
#define STOP_MS 300000 /* it waits for the data of slow disks */
/* A buffer is handed over at least so often: what is recorded is on disk up to
 * the last second whatever happens to the machine. */
#define SWITCH_TIMER "--switch-timer=1000000"

#define MAX_WORDS 10

/* `lttng` with these words; what it printed goes to output. */
static int lttng(const struct command_place *place, int timeout_ms, char *output, size_t size,
		 const char *const words[])
{
	/* Never let it start a daemon by itself: that one would stay. */
	const char *argv[MAX_WORDS + 3] = {"lttng", "--no-sessiond"};

	for (size_t i = 0; i < MAX_WORDS && words[i]; i++)
		argv[i + 2] = words[i];
	return command_run(argv, place, timeout_ms, output, size);
}

#define WORDS(...) ((const char *const[MAX_WORDS + 1]){__VA_ARGS__})

/* "Error: reason" somewhere in what lttng printed. */
static const char *reason(char *output, int code)
{
	char *error = strstr(output, "Error: ");

	if (code == -ETIMEDOUT)
		return "the session daemon does not answer";
	if (code < 0)
		return strerror(-code);
	error = error ? error + strlen("Error: ") : output;
	error[strcspn(error, "\n")] = '\0';
	return *error ? error : "it failed without a word";
}

static bool step(const struct lttng_session *session, int timeout_ms, const char *const words[])
{
	char output[2048] = "";
	int code = lttng(&session->place, timeout_ms, output, sizeof(output), words);

	if (code == 0)
		return true;
	say("lttng %s: %s", words[0], reason(output, code));
	return false;
}

bool lttng_own_daemon(void)
{
	return lttng(NULL, ANSWER_MS, NULL, 0, WORDS("list")) == 0;
}

static bool prepare(const struct lttng_session *session, const struct buffers *buffers)
{
	char size[64], count[64];

	snprintf(size, sizeof(size), "--subbuf-size=%" PRIu64, buffers->sub_buffer_bytes);
	snprintf(count, sizeof(count), "--num-subbuf=%u", buffers->sub_buffers);
	/* Full buffers discard (and count) events: to overwrite would lose the
	 * start, to block would change the program. */
	return step(session, ANSWER_MS,
		    WORDS("enable-channel", "--userspace", "--session", session->name, "--discard",
			  size, count, SWITCH_TIMER, CHANNEL)) &&
	       /* Without lttng_ust_statedump: gtrace:module says what it would. */
	       step(session, ANSWER_MS,
		    WORDS("enable-event", "--userspace", "--session", session->name, "--channel",
			  CHANNEL, "gtrace:*")) &&
	       step(session, ANSWER_MS, WORDS("start", session->name));
}

bool lttng_session_start(const struct lttng_session *session, const char *folder,
			 const struct buffers *buffers)
{
	char output[PATH_MAX + 16];

	snprintf(output, sizeof(output), "--output=%s", folder);
	if (!step(session, ANSWER_MS, WORDS("create", session->name, output)))
		return false;
	if (prepare(session, buffers))
		return true;
	lttng_session_destroy(session);
	return false;
}

bool lttng_session_stop(const struct lttng_session *session)
{
	return step(session, STOP_MS, WORDS("stop", session->name));
}

void lttng_session_destroy(const struct lttng_session *session)
{
	lttng(&session->place, ANSWER_MS, NULL, 0, WORDS("destroy", session->name));
}

/* Sum of the numbers in <tag>…</tag>. */
static uint64_t sum_of(const char *xml, const char *tag)
{
	uint64_t sum = 0;

	while ((xml = strstr(xml, tag))) {
		xml += strlen(tag);
		sum += strtoull(xml, NULL, 10);
	}
	return sum;
}

uint64_t lttng_session_lost(const struct lttng_session *session)
{
	static char xml[64 * 1024];

	if (lttng(&session->place, ANSWER_MS, xml, sizeof(xml),
		  WORDS("--mi", "xml", "list", session->name)))
		return UINT64_MAX;
	return sum_of(xml, "<discarded_events>");
}

/* --- what is in the folder ------------------------------------------------*/

#define METADATA_MAGIC 0x75d11d57u
#define MARK "\"gtrace:process\""

/* Header of a packet of CTF 1.8 metadata. */
struct metadata_packet {
	uint32_t magic;
	uint8_t uuid[16];
	uint32_t checksum;
	uint32_t content_bits;
	uint32_t packet_bits;
	uint8_t schemes[3];
	uint8_t version[2];
} __attribute__((packed));

/* Join the text of all packets into text; returns its length. */
static size_t metadata_text(const char *data, size_t size, char *text)
{
	size_t length = 0;

	while (size >= sizeof(struct metadata_packet)) {
		struct metadata_packet packet;
		memcpy(&packet, data, sizeof(packet));
		size_t content = packet.content_bits / 8, whole = packet.packet_bits / 8;
		if (packet.magic != METADATA_MAGIC || content < sizeof(packet) || whole < content ||
		    whole > size)
			break;
		memcpy(text + length, data + sizeof(packet), content - sizeof(packet));
		length += content - sizeof(packet);
		data += whole;
		size -= whole;
	}
	return length;
}

static bool metadata_has_mark(const char *path)
{
	struct stat file;
	bool found = false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &file) || file.st_size <= 0) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	size_t size = (size_t)file.st_size;
	char *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	char *text = malloc(size);
	if (data != MAP_FAILED && text)
		found = memmem(text, metadata_text(data, size, text), MARK, strlen(MARK)) != NULL;
	free(text);
	if (data != MAP_FAILED)
		munmap(data, size);
	close(fd);
	return found;
}

static int look_for_mark(const char *path, const struct stat *file, int type, struct FTW *where)
{
	(void)file;
	return type == FTW_F && strcmp(path + where->base, "metadata") == 0 &&
	       metadata_has_mark(path);
}

/* An event stands in the metadata once the library that owns it registered;
 * no registration, no metadata. */
bool lttng_recorded_gtrace(const char *folder)
{
	return nftw(folder, look_for_mark, 8, FTW_PHYS) == 1;
}
