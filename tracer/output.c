/* SPDX-License-Identifier: MIT
 *
 * See output.h.
 */
#include "tracer/output.h"
#include "tracer/say.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_SAME_SECOND 1000

static bool is_empty(const char *path, bool *empty)
{
	DIR *folder = opendir(path);
	struct dirent *entry;

	if (!folder)
		return false;
	*empty = true;
	while ((entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			*empty = false;
	closedir(folder);
	return true;
}

static bool refuse(const char *path, int error)
{
	say("%s: cannot record into it: %s; name a folder that can be written with -o DIR", path,
	    strerror(error));
	return false;
}

static bool open_wanted(struct output *output, const char *wanted)
{
	bool empty;

	if ((size_t)snprintf(output->shown, sizeof(output->shown), "%s", wanted) >=
	    sizeof(output->shown))
		return refuse(wanted, ENAMETOOLONG);
	output->made = mkdir(wanted, 0777) == 0;
	if (output->made)
		return true;
	if (errno != EEXIST || !is_empty(wanted, &empty))
		return refuse(wanted, errno);
	if (!empty) {
		say("%s: not empty: a recording would mix with what is in it; remove it or name "
		    "another folder with -o DIR",
		    wanted);
		return false;
	}
	return access(wanted, W_OK | X_OK) == 0 || refuse(wanted, errno);
}

static bool open_default(struct output *output, const char *name)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm local;

	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", localtime_r(&now, &local));
	for (int i = 1; i < MAX_SAME_SECOND; i++) {
		int used =
		    snprintf(output->shown, sizeof(output->shown), "gtrace-%s-%s", name, stamp);
		if (i > 1)
			snprintf(output->shown + used, sizeof(output->shown) - (size_t)used, "-%d",
				 i);
		output->made = mkdir(output->shown, 0777) == 0;
		if (output->made)
			return true;
		if (errno != EEXIST)
			break;
	}
	return refuse(output->shown, errno);
}

bool output_open(struct output *output, const char *wanted, const char *name)
{
	*output = (struct output){0};
	if (!(wanted ? open_wanted(output, wanted) : open_default(output, name)))
		return false;
	if (realpath(output->shown, output->absolute))
		return true;
	output_abandon(output);
	return refuse(output->shown, errno);
}

/* rmdir() takes empty folders only: what may hold data stays. */
static int remove_empty(const char *path, const struct stat *file, int type, struct FTW *where)
{
	(void)file;
	(void)where;
	if (type == FTW_DP)
		rmdir(path);
	return 0;
}

void output_abandon(const struct output *output)
{
	if (output->made)
		nftw(output->shown, remove_empty, 8, FTW_DEPTH | FTW_PHYS);
}
