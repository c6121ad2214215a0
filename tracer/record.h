/* SPDX-License-Identifier: MIT
 *
 * `gtrace record`: one recording from its checks to its report.
 */
#ifndef GTRACE_RECORD_H
#define GTRACE_RECORD_H

/* argv[0] is "record"; gtrace is how the user called gtrace (for the commands
 * that are printed).  Returns the exit code. */
int record_main(const char *gtrace, int argc, char **argv);

/* Become gtrace-report or gtrace-view, whichever tool is; returns the exit
 * code where that fails, having said why. */
int record_exec_viewer(const char *tool, char **argv);

#endif
