/* SPDX-License-Identifier: MIT
 *
 * Tasks with the smallest stacks, most of them used up, make calls that block,
 * calls that do not, and new tasks.  What runs bare must run recorded.
 */
#include <unistd.h>

#include "runtime/grt.h"
#undef errno
#define errno (*__errno_location())
#include "subject.h"

/* The lowest page is the guard; binding a function for the first time takes 3 KiB. */
enum { TASKS = 20, STACK = 16 << 10, USABLE = STACK - 4096, LEFT = 5 << 10 };

static _Atomic int done;

static void nothing(void *arg)
{
	(void)arg;
	done++;
}

static const struct grt_attr tight = {.stack_size = STACK};

/* Called with no more than LEFT bytes below. */
static void work(struct grt_wait_group *wg)
{
	char byte;

	for (int i = 0; i < 3; i++) {
		MUST(usleep(1000) == 0);
		MUST(read(-1, &byte, 1) == -1);
		grt_yield();
		MUST(grt_go_attr(&tight, nothing, NULL) == 0);
		grt_sleep(100000);
	}
	grt_wait_group_done(wg);
}

__attribute__((noinline)) static void use_up(char *top, struct grt_wait_group *wg)
{
	char frame[256];

	memset(frame, 1, sizeof(frame));
	if (top - frame < USABLE - LEFT)
		use_up(top, wg);
	else
		work(wg);
	__asm__ volatile("" : : "r"(frame) : "memory");
}

static void task(void *wg)
{
	char top;

	use_up(&top, wg);
}

static void first(void *arg)
{
	struct grt_wait_group wg = {0};

	(void)arg;
	grt_wait_group_add(&wg, TASKS);
	for (int i = 0; i < TASKS; i++)
		MUST(grt_go_attr(&tight, task, &wg) == 0);
	grt_wait_group_wait(&wg);
}

int main(void)
{
	MUST(grt_run(NULL, first, NULL) == 0);
	printf("%d\n", done);
	return 0;
}
