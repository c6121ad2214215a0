/* SPDX-License-Identifier: MIT
 *
 * HTTP/1.1 between tasks.  A channel holds the free client connections, so it
 * bounds both sockets and blocking calls.  Sockets have a timeout, after which
 * the task lets others run and looks whether it shall stop.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common.h"
#include "http.h"

#define RESERVED_FILES 64
#define TIMEOUT_US 50000
#define MESSAGE_MAX 512

static const char request[] = "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n";
static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
			     "Content-Length: 6\r\n\r\nhello\n";

static struct grt_chan *free_connections;
static int listener;
static _Atomic bool stop;
static _Atomic int64_t served;

int64_t http_served(void)
{
	return served;
}

void http_stop(void)
{
	stop = true;
}

int64_t http_connections_possible(int64_t wanted)
{
	struct rlimit limit;
	int64_t possible;

	must(getrlimit(RLIMIT_NOFILE, &limit) ? errno : 0, "limit of open files");
	if (limit.rlim_cur == RLIM_INFINITY)
		return wanted;
	/* Both ends of a connection are in this process. */
	possible = ((int64_t)limit.rlim_cur - RESERVED_FILES) / 2;
	if (possible < 1)
		must(EMFILE, "not enough open files allowed, see ulimit -n");
	return wanted < possible ? wanted : possible;
}

/* True: a blocking call came back for its timeout and is to be repeated. */
static bool again(ssize_t result)
{
	if (result >= 0 || (errno != EAGAIN && errno != EINTR) || stop)
		return false;
	grt_yield();
	return true;
}

static void configure(int fd)
{
	struct timeval timeout = {.tv_usec = TIMEOUT_US};
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* Read until the message ends with end; false: it did not come. */
static bool read_message(int fd, const char *end)
{
	char message[MESSAGE_MAX + 1];
	size_t length = 0;
	size_t end_length = strlen(end);

	for (;;) {
		ssize_t got;

		do
			got = read(fd, message + length, MESSAGE_MAX - length);
		while (again(got));
		if (got <= 0)
			return false;
		length += (size_t)got;
		if (length >= end_length && !memcmp(message + length - end_length, end, end_length))
			return true;
	}
}

static bool write_message(int fd, const char *message, size_t length)
{
	return send(fd, message, length, MSG_NOSIGNAL) == (ssize_t)length;
}

/* --- server ---------------------------------------------------------------*/

static void serve_connection(void *arg)
{
	int fd = (int)(intptr_t)arg;

	while (read_message(fd, "\r\n\r\n")) {
		if (!write_message(fd, answer, sizeof(answer) - 1))
			break;
		served++;
	}
	close(fd);
}

static void serve(void *arg)
{
	int64_t left = (int64_t)(intptr_t)arg;

	while (left-- > 0) {
		int fd;

		do
			fd = accept(listener, NULL, NULL);
		while (again(fd));
		if (fd < 0)
			break;
		configure(fd);
		start_task("http server", serve_connection, (void *)(intptr_t)fd);
	}
	close(listener);
}

/* --- clients --------------------------------------------------------------*/

static int connect_to(const struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	must(fd < 0 ? errno : 0, "cannot make a socket");
	must(connect(fd, (const struct sockaddr *)address, sizeof(*address)) ? errno : 0,
	     "cannot connect");
	configure(fd);
	return fd;
}

static struct sockaddr_in listen_somewhere(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);

	listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	must(listener < 0 ? errno : 0, "cannot make a socket");
	if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, SOMAXCONN) ||
	    getsockname(listener, (struct sockaddr *)&address, &length))
		must(errno, "cannot listen on the loopback interface");
	configure(listener);
	return address;
}

void http_start(int64_t connections)
{
	struct sockaddr_in address = listen_somewhere();

	free_connections = grt_chan_new(sizeof(int), (size_t)connections);
	must(free_connections ? 0 : ENOMEM, "cannot make a channel");
	start_task("http listener", serve, (void *)(intptr_t)connections);
	for (int64_t i = 0; i < connections; i++) {
		int fd = connect_to(&address);

		must(grt_chan_send(free_connections, &fd), "cannot keep a connection");
	}
}

bool http_request(void)
{
	bool good = false;
	int fd;

	if (grt_chan_recv(free_connections, &fd))
		return false;
	if (!stop)
		good = write_message(fd, request, sizeof(request) - 1) &&
		       read_message(fd, "\r\n\r\nhello\n");
	must(grt_chan_send(free_connections, &fd), "cannot keep a connection");
	return good;
}

void http_end(void)
{
	int fd;

	while (!grt_chan_try_recv(free_connections, &fd))
		close(fd);
	grt_chan_free(free_connections);
}
