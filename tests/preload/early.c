/* SPDX-License-Identifier: MIT
 *
 * A program with an allocator of its own, which reads a file and takes a lock
 * when it is first used: long before anybody's constructor.
 */
#include <fcntl.h>
#include <stddef.h>

#include "subject.h"

static char arena[1 << 26] __attribute__((aligned(16)));
static size_t used;
static long first_line; /* bytes of /proc/self/maps seen by the first malloc */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void look_around(void)
{
	static bool looked;
	char buf[64];
	int fd;

	if (looked)
		return;
	looked = true;
	fd = open("/proc/self/maps", O_RDONLY);
	first_line = read(fd, buf, sizeof(buf));
	close(fd);
}

void *malloc(size_t size)
{
	size_t *block;

	pthread_mutex_lock(&mutex);
	look_around();
	block = (size_t *)(void *)(arena + used);
	used += 16 + ((size + 15) & ~(size_t)15);
	if (used > sizeof(arena))
		_exit(98);
	*block = size;
	pthread_mutex_unlock(&mutex);
	return block + 2;
}

void free(void *block)
{
	(void)block;
}

void *calloc(size_t n, size_t size)
{
	return malloc(n * size); /* the arena is zero and never used twice */
}

void *realloc(void *old, size_t size)
{
	size_t *new = malloc(size);
	size_t before = old ? ((size_t *)old)[-2] : 0;

	memcpy(new, old ? old : new, before < size ? before : size);
	return new;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	uintptr_t start = (uintptr_t)malloc(size + alignment + 16);
	size_t *block = (size_t *)((start + 16 + alignment - 1) & ~(alignment - 1));

	block[-2] = size;
	return block;
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
	return aligned_alloc(alignment, size);
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
	*to = aligned_alloc(alignment, size);
	return 0;
}

static void *run(void *arg)
{
	usleep(1000);
	return malloc((size_t)arg);
}

int main(void)
{
	pthread_t thread[8];

	for (int i = 0; i < 8; i++)
		MUST(pthread_create(&thread[i], NULL, run, (void *)(intptr_t)i) == 0);
	for (int i = 0; i < 8; i++)
		MUST(pthread_join(thread[i], NULL) == 0);
	printf("%ld\n", first_line);
	return 0;
}
