/* SPDX-License-Identifier: MIT
 *
 * How the payload of a recorded event becomes a struct event.  Only the CTF
 * source includes this.
 */
#ifndef GTRACE_VIEWER_CTF_FIELDS_H
#define GTRACE_VIEWER_CTF_FIELDS_H

#include <babeltrace2/babeltrace.h>
#include <stdbool.h>

#include "viewer/event.h"

#define CTF_PLAN_STEPS_MAX 20

enum ctf_field_type {
	CTF_FIELD_SIGNED,
	CTF_FIELD_UNSIGNED,
	CTF_FIELD_TEXT,
	CTF_FIELD_STACK,
	CTF_FIELD_BYTES,
};

struct ctf_step {
	uint16_t index;  /* member of the payload */
	uint16_t offset; /* into struct event */
	enum ctf_field_type type;
};

/* What to do with the events of one event class. */
struct ctf_plan {
	bool wanted;
	enum event_kind kind;
	unsigned step_count;
	struct ctf_step steps[CTF_PLAN_STEPS_MAX];
};

/* Fields of other types than expected, and missing ones, are left out: they
 * read as 0 or "". */
void ctf_plan_make(struct ctf_plan *plan, const bt_event_class *event_class);

/* Fill everything of *event but time and trace. */
void ctf_plan_apply(const struct ctf_plan *plan, const bt_event *recorded, struct event *event);

#endif
