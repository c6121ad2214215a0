/* SPDX-License-Identifier: MIT
 *
 * As much of HTTP/1.1 over loopback as the workload crowd needs: a server of
 * tasks, and clients that share a number of open connections.  All sockets are
 * blocking ones.
 */
#ifndef WORKLOADS_HTTP_H
#define WORKLOADS_HTTP_H

#include <stdbool.h>
#include <stdint.h>

/* Connections that leave room for the other files of the process, at most wanted. */
int64_t http_connections_possible(int64_t wanted);

/* Start the server and open the connections.  From a task; ends the program
 * when that fails. */
void http_start(int64_t connections);

/* One request on a free connection; waits for one.  False: no good answer,
 * or it was told to stop.  From a task. */
bool http_request(void);

/* Close the connections, and with them the server.  From a task, once no
 * request is under way. */
void http_end(void);

/* Answers that the server has sent. */
int64_t http_served(void);

/* No further requests; who waits for an answer gives up.  Any thread. */
void http_stop(void);

#endif
