/* SPDX-License-Identifier: MIT
 *
 * Owns the babeltrace2 graph that reads CTF traces: one source.ctf.fs for each
 * trace, a flt.utils.muxer, and a sink of our own that turns messages into
 * struct event.  What babeltrace2 says about errors is kept from the user's
 * terminal; its first cause goes into one complaint of ours.
 *
 * A trace is known by its UUID, not by its folder: the chunks of a rotated
 * session are one trace.
 */
#include "viewer/source/source.h"

#include <babeltrace2/babeltrace.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/complain.h"
#include "viewer/map.h"
#include "viewer/source/ctf_fields.h"
#include "viewer/source/ctf_find.h"

#define NS_PER_S UINT64_C(1000000000)

struct trace_name {
	uint8_t uuid[16];
	const bt_trace *trace; /* where there is no UUID */
	int64_t reach;
};

/* What the reader keeps for an event class. */
struct class_entry {
	struct ctf_plan plan;
	uint32_t trace;
};

struct reader {
	const struct source_sink *sink; /* NULL: only count */
	struct map classes;
	const bt_event_class *last_class;
	const struct class_entry *last_entry;
	struct trace_name *traces;
	uint32_t trace_count;
	struct event event; /* big, so made once */
	uint64_t events;    /* of any kind */
	bool stopped;       /* at the limit of the watch */
};

void ctf_complain(const struct source_sink *sink, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof line, format, arguments);
	va_end(arguments);
	sink->complain(sink->context, line);
}

/* Forget babeltrace2's pending error; its innermost cause goes to text. */
static void take_error(char *text, size_t size)
{
	const bt_error *error = bt_current_thread_take_error();
	const char *message = "";

	if (error && bt_error_get_cause_count(error) > 0)
		message = bt_error_cause_get_message(bt_error_borrow_cause_by_index(error, 0));
	snprintf(text, size, "%s", message);
	text[strcspn(text, "\n")] = '\0';
	if (error)
		bt_error_release(error);
}

/* --- messages ----------------------------------------------------------------*/

static uint32_t trace_number(struct reader *reader, const bt_stream *stream)
{
	const bt_trace *trace = bt_stream_borrow_trace_const(stream);
	bt_uuid uuid = bt_trace_get_uuid(trace);
	struct trace_name name = {.trace = uuid ? NULL : trace, .reach = INT64_MIN};

	if (uuid)
		memcpy(name.uuid, uuid, sizeof name.uuid);
	for (uint32_t i = 0; i < reader->trace_count; i++) {
		if (reader->traces[i].trace == name.trace &&
		    memcmp(reader->traces[i].uuid, name.uuid, sizeof name.uuid) == 0)
			return i;
	}
	reader->traces = must_grow(reader->traces, reader->trace_count + 1, sizeof name);
	reader->traces[reader->trace_count] = name;
	return reader->trace_count++;
}

static int64_t clock_ns(const bt_clock_snapshot *snapshot)
{
	uint64_t value = bt_clock_snapshot_get_value(snapshot);
	uint64_t frequency =
	    bt_clock_class_get_frequency(bt_clock_snapshot_borrow_clock_class_const(snapshot));

	if (frequency == NS_PER_S)
		return (int64_t)value;
	return (int64_t)((__uint128_t)value * NS_PER_S / frequency);
}

static const struct class_entry *entry_of(struct reader *reader, const bt_event *event)
{
	const bt_event_class *event_class = bt_event_borrow_class_const(event);
	struct class_entry *entry;

	if (event_class == reader->last_class)
		return reader->last_entry;
	entry = map_get(&reader->classes, (uintptr_t)event_class);
	if (!entry) {
		entry = must_alloc(1, sizeof *entry);
		ctf_plan_make(&entry->plan, event_class);
		entry->trace = trace_number(reader, bt_event_borrow_stream_const(event));
		map_put(&reader->classes, (uintptr_t)event_class, entry);
	}
	reader->last_class = event_class;
	return reader->last_entry = entry;
}

static void take_event(struct reader *reader, const bt_message *message)
{
	const bt_event *recorded = bt_message_event_borrow_event_const(message);
	const struct class_entry *entry = entry_of(reader, recorded);

	reader->events++;
	if (!entry->plan.wanted || !reader->sink)
		return;
	ctf_plan_apply(&entry->plan, recorded, &reader->event);
	reader->event.trace = entry->trace;
	reader->event.time =
	    clock_ns(bt_message_event_borrow_default_clock_snapshot_const(message));
	reader->sink->event(reader->sink->context, &reader->event);
}

static void take_loss(struct reader *reader, const bt_message *message)
{
	const bt_stream *stream = bt_message_discarded_events_borrow_stream_const(message);
	struct event_loss loss = {.trace = trace_number(reader, stream)};

	if (bt_message_discarded_events_get_count(message, &loss.count) !=
	    BT_PROPERTY_AVAILABILITY_AVAILABLE)
		loss.count = 1; /* some; nobody counted */
	if (bt_stream_class_discarded_events_have_default_clock_snapshots(
		bt_stream_borrow_class_const(stream))) {
		loss.begin = clock_ns(
		    bt_message_discarded_events_borrow_beginning_default_clock_snapshot_const(
			message));
		loss.end = clock_ns(
		    bt_message_discarded_events_borrow_end_default_clock_snapshot_const(message));
	}
	reader->sink->loss(reader->sink->context, &loss);
}

static void take_packet_end(struct reader *reader, const bt_message *message)
{
	const bt_stream *stream =
	    bt_packet_borrow_stream_const(bt_message_packet_end_borrow_packet_const(message));
	uint32_t number;
	int64_t time;

	if (!bt_stream_class_packets_have_end_default_clock_snapshot(
		bt_stream_borrow_class_const(stream)))
		return;
	time = clock_ns(bt_message_packet_end_borrow_default_clock_snapshot_const(message));
	number = trace_number(reader, stream); /* may move reader->traces */
	if (time > reader->traces[number].reach)
		reader->traces[number].reach = time;
}

static void take_message(struct reader *reader, const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		take_event(reader, message);
		break;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
		if (reader->sink)
			take_loss(reader, message);
		break;
	case BT_MESSAGE_TYPE_PACKET_END:
		take_packet_end(reader, message);
		break;
	default:
		break;
	}
}

static bool may_go_on(struct reader *reader)
{
	struct source_watch *watch = reader->sink ? reader->sink->watch : NULL;

	if (!watch)
		return true;
	reader->stopped = watch->taken >= watch->limit;
	return !reader->stopped;
}

static void step_taken(struct reader *reader)
{
	if (reader->sink && reader->sink->watch)
		reader->sink->watch->taken++;
}

typedef bt_graph_simple_sink_component_consume_func_status consume_status;

static consume_status consume(bt_message_iterator *iterator, void *reader)
{
	bt_message_array_const messages;
	uint64_t count;
	bt_message_iterator_next_status status;

	if (!may_go_on(reader))
		return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_END;
	status = bt_message_iterator_next(iterator, &messages, &count);
	step_taken(reader);
	if (status != BT_MESSAGE_ITERATOR_NEXT_STATUS_OK)
		return (consume_status)status;
	for (uint64_t i = 0; i < count; i++) {
		take_message(reader, messages[i]);
		bt_message_put_ref(messages[i]);
	}
	return BT_GRAPH_SIMPLE_SINK_COMPONENT_CONSUME_FUNC_STATUS_OK;
}

/* --- the graph ---------------------------------------------------------------*/

struct graph {
	bt_graph *graph;
	const bt_plugin *ctf, *utils;
	const bt_component_class_source *fs;
	const bt_component_filter *muxer;
	uint64_t connected; /* inputs of the muxer in use */
};

static bool graph_open(struct graph *graph, struct reader *reader)
{
	const bt_component_class_filter *muxer;
	const bt_component_sink *sink;

	bt_plugin_find("ctf", BT_FALSE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &graph->ctf);
	bt_plugin_find("utils", BT_FALSE, BT_FALSE, BT_TRUE, BT_TRUE, BT_FALSE, &graph->utils);
	graph->graph = bt_graph_create(0);
	if (!graph->ctf || !graph->utils || !graph->graph)
		return false;
	graph->fs = bt_plugin_borrow_source_component_class_by_name_const(graph->ctf, "fs");
	muxer = bt_plugin_borrow_filter_component_class_by_name_const(graph->utils, "muxer");
	if (!graph->fs || !muxer)
		return false;
	if (bt_graph_add_filter_component(graph->graph, muxer, "mux", NULL, BT_LOGGING_LEVEL_NONE,
					  &graph->muxer) != 0 ||
	    bt_graph_add_simple_sink_component(graph->graph, "viewer", NULL, consume, NULL, reader,
					       &sink) != 0)
		return false;
	return bt_graph_connect_ports(
		   graph->graph,
		   bt_component_filter_borrow_output_port_by_index_const(graph->muxer, 0),
		   bt_component_sink_borrow_input_port_by_index_const(sink, 0), NULL) == 0;
}

static bt_value *inputs(const char *folder)
{
	bt_value *parameters = bt_value_map_create();
	bt_value *array = NULL;

	if (!parameters ||
	    bt_value_map_insert_empty_array_entry(parameters, "inputs", &array) != 0 ||
	    bt_value_array_append_string_element(array, folder) != 0) {
		bt_value_put_ref(parameters);
		return NULL;
	}
	return parameters;
}

/* A trace without streams adds no port, and that is fine. */
static bool graph_add(struct graph *graph, const char *folder, size_t number)
{
	const bt_component_source *source;
	bt_value *parameters = inputs(folder);
	char name[32];
	int status;

	snprintf(name, sizeof name, "trace-%zu", number);
	status = bt_graph_add_source_component(graph->graph, graph->fs, name, parameters,
					       BT_LOGGING_LEVEL_NONE, &source);
	bt_value_put_ref(parameters);
	if (status != 0)
		return false;
	for (uint64_t i = 0; i < bt_component_source_get_output_port_count(source); i++) {
		if (bt_graph_connect_ports(
			graph->graph,
			bt_component_source_borrow_output_port_by_index_const(source, i),
			bt_component_filter_borrow_input_port_by_index_const(graph->muxer,
									     graph->connected),
			NULL) != 0)
			return false;
		graph->connected++;
	}
	return true;
}

static void graph_close(struct graph *graph)
{
	bt_graph_put_ref(graph->graph);
	bt_plugin_put_ref(graph->ctf);
	bt_plugin_put_ref(graph->utils);
	/* Taking down what failed may leave an error of its own, and the next
	 * call into the library would abort. */
	bt_current_thread_clear_error();
}

static bool graph_run(struct graph *graph)
{
	return graph->connected == 0 || bt_graph_run(graph->graph) == BT_GRAPH_RUN_STATUS_OK;
}

/* --- reading -----------------------------------------------------------------*/

static void tell_reach(struct reader *reader)
{
	for (uint32_t i = 0; i < reader->trace_count; i++) {
		if (reader->traces[i].reach != INT64_MIN)
			reader->sink->reach(reader->sink->context, i, reader->traces[i].reach);
	}
}

static void reader_free(struct reader *reader)
{
	struct class_entry *entry;

	for (size_t at = 0; (entry = map_next(&reader->classes, &at));)
		free(entry);
	map_free(&reader->classes);
	free(reader->traces);
}

static bool add_all(struct graph *graph, struct ctf_traces *traces, const struct source_sink *sink)
{
	bool whole = true;

	for (size_t i = 0; i < traces->count; i++) {
		struct ctf_trace *trace = &traces->items[i];
		char cause[256];

		if (ctf_check(trace, sink) &&
		    !graph_add(graph, trace->copy ? trace->copy : trace->folder, i)) {
			take_error(cause, sizeof cause);
			ctf_complain(sink, "%s: cannot be read (%s), so it is left out",
				     trace->folder, cause);
			trace->damaged = true;
		}
		whole = whole && !trace->damaged;
	}
	return whole;
}

static enum source_status read_traces(struct ctf_traces *traces, const char *first,
				      const struct source_sink *sink)
{
	struct reader reader = {.sink = sink};
	struct graph graph = {0};
	char cause[256];
	bool whole = true;

	if (!graph_open(&graph, &reader)) {
		take_error(cause, sizeof cause);
		ctf_complain(sink,
			     "babeltrace2: its plugins ctf and utils do not load (%s); "
			     "reinstall libbabeltrace2-0",
			     cause);
		graph_close(&graph);
		return SOURCE_NOTHING;
	}
	whole = add_all(&graph, traces, sink);
	if (!graph_run(&graph)) {
		take_error(cause, sizeof cause);
		ctf_complain(sink, "%s: damaged (%s); the report ends before the damage", first,
			     cause);
		whole = false;
	}
	if (reader.stopped) {
		ctf_complain(sink,
			     "%s: damaged (babeltrace2 crashes on it); the report ends before "
			     "the damage",
			     first);
		whole = false;
	}
	if (reader.events == 0 && whole)
		ctf_complain(sink,
			     "%s: no event in it; was gtrace:* enabled and the session "
			     "stopped before reading?",
			     first);
	tell_reach(&reader);
	graph_close(&graph);
	reader_free(&reader);
	return reader.events == 0 ? SOURCE_NOTHING : whole ? SOURCE_OK : SOURCE_DAMAGED;
}

uint64_t ctf_count_events(const char *folder)
{
	struct reader reader = {0};
	struct graph graph = {0};
	char cause[256];

	if (!graph_open(&graph, &reader) || !graph_add(&graph, folder, 0) || !graph_run(&graph)) {
		take_error(cause, sizeof cause);
		/* The event that it broke off in was handed out all the same. */
		reader.events -= reader.events > 0;
	}
	graph_close(&graph);
	reader_free(&reader);
	return reader.events;
}

enum source_status source_read_ctf(const char *const *folders, size_t count,
				   const struct source_sink *sink)
{
	struct ctf_traces traces = {0};
	enum source_status status = SOURCE_NOTHING;
	bool whole = true;

	for (size_t i = 0; i < count; i++)
		whole = ctf_find(&traces, folders[i], sink) && whole;
	silence_begin();
	if (traces.count > 0)
		status = read_traces(&traces, folders[0], sink);
	silence_end();
	if (status == SOURCE_OK && !whole)
		status = SOURCE_DAMAGED;
	ctf_traces_free(&traces);
	return status;
}
