/* SPDX-License-Identifier: MIT
 *
 * Writes JSON: keeps the commas and escapes the texts.  Bytes that are no
 * UTF-8 become U+FFFD, so that what is written is always valid.
 */
#ifndef GTRACE_VIEWER_JSON_H
#define GTRACE_VIEWER_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *out;
	bool comma; /* a value was written in this object or array */
};

/* key: NULL in arrays and at the top. */
void json_object(struct json *json, const char *key);
void json_object_end(struct json *json);
void json_array(struct json *json, const char *key);
void json_array_end(struct json *json);
void json_text(struct json *json, const char *key, const char *value);
void json_int(struct json *json, const char *key, int64_t value);
void json_unsigned(struct json *json, const char *key, uint64_t value);
void json_real(struct json *json, const char *key, double value);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);

#endif
