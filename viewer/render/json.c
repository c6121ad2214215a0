/* SPDX-License-Identifier: MIT
 *
 * Owns the syntax of JSON.  Written here because the viewer needs a writer of
 * a hundred lines and nothing else of a library.
 */
#include "viewer/render/json.h"

#include <inttypes.h>
#include <math.h>

/* Length of the valid UTF-8 sequence that text begins with; 0: none. */
static int sequence_length(const unsigned char *text)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t least; /* shorter codings of these are not allowed */
	} forms[] = {
	    {0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

	for (int extra = 0; extra < 4; extra++) {
		uint32_t point = text[0] & (unsigned char)~forms[extra].mask;

		if ((text[0] & forms[extra].mask) != forms[extra].lead)
			continue;
		for (int i = 1; i <= extra; i++) {
			if ((text[i] & 0xc0) != 0x80)
				return 0;
			point = point << 6 | (text[i] & 0x3f);
		}
		if (point < forms[extra].least || point > 0x10ffff ||
		    (point >= 0xd800 && point < 0xe000))
			return 0;
		return extra + 1;
	}
	return 0;
}

static void put_text(FILE *out, const char *value)
{
	const unsigned char *text = (const unsigned char *)value;

	fputc('"', out);
	while (*text) {
		int length = sequence_length(text);

		if (length == 0) {
			fputs("\\ufffd", out);
			length = 1;
		} else if (*text == '"' || *text == '\\') {
			fprintf(out, "\\%c", *text);
		} else if (*text < ' ' || *text == 0x7f) {
			fprintf(out, "\\u%04x", *text);
		} else {
			fwrite(text, 1, (size_t)length, out);
		}
		text += length;
	}
	fputc('"', out);
}

static void before(struct json *json, const char *key)
{
	if (json->comma)
		fputc(',', json->out);
	json->comma = true;
	if (key) {
		put_text(json->out, key);
		fputc(':', json->out);
	}
}

void json_object(struct json *json, const char *key)
{
	before(json, key);
	fputc('{', json->out);
	json->comma = false;
}

void json_object_end(struct json *json)
{
	fputc('}', json->out);
	json->comma = true;
}

void json_array(struct json *json, const char *key)
{
	before(json, key);
	fputc('[', json->out);
	json->comma = false;
}

void json_array_end(struct json *json)
{
	fputc(']', json->out);
	json->comma = true;
}

void json_text(struct json *json, const char *key, const char *value)
{
	before(json, key);
	put_text(json->out, value);
}

void json_int(struct json *json, const char *key, int64_t value)
{
	before(json, key);
	fprintf(json->out, "%" PRId64, value);
}

void json_unsigned(struct json *json, const char *key, uint64_t value)
{
	before(json, key);
	fprintf(json->out, "%" PRIu64, value);
}

void json_real(struct json *json, const char *key, double value)
{
	before(json, key);
	if (isfinite(value))
		fprintf(json->out, "%.9g", value);
	else
		fputs("null", json->out);
}

void json_bool(struct json *json, const char *key, bool value)
{
	before(json, key);
	fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key)
{
	before(json, key);
	fputs("null", json->out);
}
