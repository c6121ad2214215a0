/* SPDX-License-Identifier: MIT
 *
 * A program as if linked before glibc 2.3.2: it means the condition variables
 * of that time.
 */
#include "subject.h"

__asm__(".symver pthread_cond_wait,pthread_cond_wait@GLIBC_2.2.5");

int main(int argc, char **argv)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

	(void)argv;
	return argc > 1000 ? pthread_cond_wait(&cond, &mutex) : 0; /* bound, never called */
}
