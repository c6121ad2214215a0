/* SPDX-License-Identifier: MIT
 *
 * Owns the table of recorded fields that the viewer uses, and the plans made
 * from it: per event class, which member of the payload goes where.  A plan is
 * made once, so that reading an event needs no look-up by name.
 */
#include "viewer/source/ctf_fields.h"

#include <stddef.h>
#include <string.h>

static const struct field {
	enum event_kind kind;
	const char *name;
	uint16_t offset;
	bool text;
} fields[] = {
#define FIELD(kind, view, name)                                                                    \
	{                                                                                          \
		EVENT_##kind, #name, offsetof(struct event, view.name), false                      \
	}
#define TEXT(kind, view, name)                                                                     \
	{                                                                                          \
		EVENT_##kind, #name, offsetof(struct event, view.name), true                       \
	}
    TEXT(process, process, name),
    TEXT(process, process, command),
    FIELD(process, process, tid),
    FIELD(process, process, parent),
    FIELD(process, process, mode),
    TEXT(workload, workload, name),
    TEXT(workload, workload, settings),
    TEXT(module, module, path),
    FIELD(module, module, base),
    FIELD(module, module, low),
    FIELD(module, module, high),
    FIELD(module, module, build_id),
    FIELD(procs, procs, procs),
    FIELD(procs, procs, handoff),
    FIELD(procs, procs, max_threads),
    FIELD(worker_create, worker_create, worker),
    FIELD(worker_create, worker_create, creator),
    FIELD(worker_create, worker_create, cause),
    FIELD(worker_create, worker_create, result),
    FIELD(worker_create, worker_create, latency),
    FIELD(worker_create, worker_create, task),
    FIELD(worker_create, worker_create, call_worker),
    FIELD(worker_create, worker_create, call_seq),
    FIELD(worker_create, worker_create, call),
    FIELD(worker_create, worker_create, site),
    FIELD(worker_create, worker_create, stack),
    FIELD(worker_start, worker, worker),
    FIELD(worker_start, worker, tid),
    FIELD(worker_park, worker, worker),
    FIELD(worker_exit, worker, worker),
    FIELD(proc_start, on_proc, proc),
    FIELD(proc_start, on_proc, seq),
    FIELD(proc_start, on_proc, worker),
    FIELD(proc_stop, on_proc, proc),
    FIELD(proc_stop, on_proc, seq),
    FIELD(proc_stop, on_proc, worker),
    FIELD(proc_stop, on_proc, reason),
    FIELD(proc_handoff, proc_handoff, proc),
    FIELD(proc_handoff, proc_handoff, seq),
    FIELD(proc_handoff, proc_handoff, from),
    FIELD(proc_handoff, proc_handoff, to),
    FIELD(proc_handoff, proc_handoff, reason),
    FIELD(proc_handoff, proc_handoff, new_thread),
    FIELD(proc_handoff, proc_handoff, task),
    FIELD(proc_handoff, proc_handoff, call_seq),
    TEXT(task_create, task_create, name),
    FIELD(task_create, task_create, task),
    FIELD(task_create, task_create, parent),
    FIELD(task_create, task_create, fn),
    FIELD(task_start, on_proc, proc),
    FIELD(task_start, on_proc, seq),
    FIELD(task_start, on_proc, worker),
    FIELD(task_start, on_proc, task),
    FIELD(task_stop, on_proc, proc),
    FIELD(task_stop, on_proc, seq),
    FIELD(task_stop, on_proc, worker),
    FIELD(task_stop, on_proc, task),
    FIELD(task_stop, on_proc, reason),
    FIELD(task_end, on_proc, proc),
    FIELD(task_end, on_proc, seq),
    FIELD(task_end, on_proc, worker),
    FIELD(task_end, on_proc, task),
    FIELD(task_ready, task_ready, task),
    FIELD(call_begin, call, worker),
    FIELD(call_begin, call, task),
    FIELD(call_begin, call, call_seq),
    FIELD(call_begin, call, call),
    FIELD(call_begin, call, arg),
    FIELD(call_begin, call, site),
    FIELD(call_begin, call, start),
    FIELD(call_begin, call, tid),
    FIELD(call_end, call, worker),
    FIELD(call_end, call, proc),
    FIELD(call_end, call, seq),
    FIELD(call_end, call, task),
    FIELD(call_end, call, call_seq),
    FIELD(call_end, call, call),
    FIELD(call_end, call, path),
    FIELD(call_end, call, site),
    FIELD(call_end, call, start),
    FIELD(call_end, call, duration),
    FIELD(call_end, call, p_wait),
    FIELD(call_end, call, tid),
    FIELD(call_end, call, stack),
    FIELD(thread_create, thread, tid),
    FIELD(thread_create, thread, result),
    FIELD(thread_create, thread, start_routine),
    FIELD(thread_create, thread, site),
    FIELD(thread_create, thread, stack),
    FIELD(thread_start, thread, tid),
    FIELD(thread_start, thread, creator),
    FIELD(thread_exit, thread, tid),
#undef FIELD
#undef TEXT
};

#define PROVIDER "gtrace:"

#define KIND_NAME(name) #name,
static const char *const kind_names[] = {EVENT_KINDS(KIND_NAME)};
#undef KIND_NAME

static bool find_kind(const char *name, enum event_kind *kind)
{
	if (!name || strncmp(name, PROVIDER, strlen(PROVIDER)) != 0)
		return false;
	for (unsigned i = 0; i < EVENT_KIND_COUNT; i++) {
		if (strcmp(kind_names[i], name + strlen(PROVIDER)) == 0) {
			*kind = (enum event_kind)i;
			return true;
		}
	}
	return false;
}

/* How to read a member of this class; false where it is not what the table says. */
static bool field_type(const struct field *field, const bt_field_class *field_class,
		       enum ctf_field_type *type)
{
	bt_field_class_type is = bt_field_class_get_type(field_class);
	bool stack = strcmp(field->name, "stack") == 0;
	bool bytes = strcmp(field->name, "build_id") == 0;
	const bt_field_class *element;

	if (field->text) {
		*type = CTF_FIELD_TEXT;
		return is == BT_FIELD_CLASS_TYPE_STRING;
	}
	if (!stack && !bytes) {
		bool is_unsigned = bt_field_class_type_is(is, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER);

		*type = is_unsigned ? CTF_FIELD_UNSIGNED : CTF_FIELD_SIGNED;
		return is_unsigned ||
		       bt_field_class_type_is(is, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER);
	}
	if (!bt_field_class_type_is(is, BT_FIELD_CLASS_TYPE_ARRAY))
		return false;
	element = bt_field_class_array_borrow_element_field_class_const(field_class);
	*type = stack ? CTF_FIELD_STACK : CTF_FIELD_BYTES;
	return bt_field_class_type_is(bt_field_class_get_type(element),
				      BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER);
}

static void add_step(struct ctf_plan *plan, const struct field *field,
		     const bt_field_class *payload)
{
	uint64_t count = bt_field_class_structure_get_member_count(payload);

	for (uint64_t i = 0; i < count && plan->step_count < CTF_PLAN_STEPS_MAX; i++) {
		const bt_field_class_structure_member *member =
		    bt_field_class_structure_borrow_member_by_index_const(payload, i);
		struct ctf_step step = {.index = (uint16_t)i, .offset = field->offset};

		if (strcmp(bt_field_class_structure_member_get_name(member), field->name) != 0)
			continue;
		if (field_type(field,
			       bt_field_class_structure_member_borrow_field_class_const(member),
			       &step.type))
			plan->steps[plan->step_count++] = step;
		return;
	}
}

void ctf_plan_make(struct ctf_plan *plan, const bt_event_class *event_class)
{
	const bt_field_class *payload =
	    bt_event_class_borrow_payload_field_class_const(event_class);
	const struct field pid = {.name = "pid", .offset = offsetof(struct event, pid)};

	*plan = (struct ctf_plan){0};
	if (!payload || !find_kind(bt_event_class_get_name(event_class), &plan->kind))
		return;
	plan->wanted = true;
	add_step(plan, &pid, payload);
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		if (fields[i].kind == plan->kind)
			add_step(plan, &fields[i], payload);
	}
}

static uint64_t element(const bt_field *array, uint64_t index)
{
	return bt_field_integer_unsigned_get_value(
	    bt_field_array_borrow_element_field_by_index_const(array, index));
}

static void read_stack(const bt_field *array, struct event_stack *stack)
{
	uint64_t depth = bt_field_array_get_length(array);

	if (depth > EVENT_STACK_MAX)
		depth = EVENT_STACK_MAX;
	stack->depth = (uint32_t)depth;
	for (uint64_t i = 0; i < depth; i++)
		stack->pc[i] = element(array, i);
}

static void read_build_id(const bt_field *array, struct event_build_id *build_id)
{
	uint64_t size = bt_field_array_get_length(array);

	if (size > EVENT_BUILD_ID_MAX)
		size = EVENT_BUILD_ID_MAX;
	build_id->size = (uint32_t)size;
	for (uint64_t i = 0; i < size; i++)
		build_id->bytes[i] = (uint8_t)element(array, i);
}

static void take_step(const struct ctf_step *step, const bt_field *payload, struct event *event)
{
	const bt_field *field =
	    bt_field_structure_borrow_member_field_by_index_const(payload, step->index);
	void *to = (char *)event + step->offset;

	switch (step->type) {
	case CTF_FIELD_SIGNED:
		*(int64_t *)to = bt_field_integer_signed_get_value(field);
		break;
	case CTF_FIELD_UNSIGNED:
		*(uint64_t *)to = bt_field_integer_unsigned_get_value(field);
		break;
	case CTF_FIELD_TEXT:
		*(const char **)to = bt_field_string_get_value(field);
		break;
	case CTF_FIELD_STACK:
		read_stack(field, to);
		break;
	case CTF_FIELD_BYTES:
		read_build_id(field, to);
		break;
	}
}

/* A field that is missing in the recording must not keep what the last event
 * had there; stacks say themselves how much of them is valid. */
static void clear(struct event *event)
{
	memset(&event->pid, 0, offsetof(struct event, call.stack.pc) - offsetof(struct event, pid));
}

void ctf_plan_apply(const struct ctf_plan *plan, const bt_event *recorded, struct event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(recorded);

	clear(event);
	event->kind = plan->kind;
	for (unsigned i = 0; i < plan->step_count; i++)
		take_step(&plan->steps[i], payload, event);
}
