/* SPDX-License-Identifier: MIT
 *
 * Owns the search for traces below a folder: every folder with a file called
 * `metadata` is one.
 */
#include "viewer/source/ctf_find.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "viewer/map.h"

static void add(struct ctf_traces *traces, const char *metadata)
{
	const char *slash = strrchr(metadata, '/');

	traces->items = must_grow(traces->items, traces->count + 1, sizeof *traces->items);
	traces->items[traces->count++] = (struct ctf_trace){
	    .folder = strndup(metadata, (size_t)(slash - metadata)),
	};
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static void walk(struct ctf_traces *traces, const char *folder)
{
	char *roots[] = {(char *)folder, NULL};
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_COMFOLLOW, by_name);
	FTSENT *entry;

	if (!tree)
		return;
	while ((entry = fts_read(tree))) {
		if (entry->fts_info == FTS_F && entry->fts_level > 0 &&
		    strcmp(entry->fts_name, "metadata") == 0)
			add(traces, entry->fts_path);
	}
	fts_close(tree);
}

bool ctf_find(struct ctf_traces *traces, const char *folder, const struct source_sink *sink)
{
	size_t before = traces->count;
	struct stat status;

	if (stat(folder, &status) != 0) {
		ctf_complain(sink, "%s: %s; name a folder that gtrace record or lttng made", folder,
			     strerror(errno));
		return false;
	}
	if (!S_ISDIR(status.st_mode)) {
		ctf_complain(sink,
			     "%s: no folder, so no trace; name the folder that the trace "
			     "is in",
			     folder);
		return false;
	}
	walk(traces, folder);
	if (traces->count > before)
		return true;
	ctf_complain(sink,
		     "%s: no trace in it; name a folder that gtrace record or lttng made, "
		     "and stop the session first",
		     folder);
	return false;
}

void ctf_traces_free(struct ctf_traces *traces)
{
	for (size_t i = 0; i < traces->count; i++) {
		free(traces->items[i].folder);
		ctf_copy_remove(&traces->items[i]);
	}
	free(traces->items);
}
