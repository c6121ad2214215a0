/* SPDX-License-Identifier: MIT
 *
 * Addresses of this very program as function, file and line.
 */
#include <limits.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "viewer/symbols.h"

static uint64_t returned_to;

__attribute__((noinline)) static void callee(void)
{
	returned_to = (uint64_t)(uintptr_t)__builtin_return_address(0);
}

__attribute__((noinline)) static int caller(void)
{
	callee();
	const int line = __LINE__ - 1;

	__asm__ volatile("" ::: "memory"); /* no tail call */
	return line;
}

static int find_self(struct dl_phdr_info *info, size_t size, void *module)
{
	(void)size;
	((struct module *)module)->base = info->dlpi_addr;
	return 1;
}

static char self_path[PATH_MAX];
static struct module self;
static struct process process = {.modules = &self, .module_count = 1};

static int set_up(void **context)
{
	ssize_t length = readlink("/proc/self/exe", self_path, sizeof self_path - 1);

	(void)context;
	if (length < 0)
		return -1;
	self_path[length] = '\0';
	self = (struct module){.path = self_path, .low = 1, .high = UINT64_MAX};
	dl_iterate_phdr(find_self, &self);
	return 0;
}

static void a_call_is_found_at_its_line(void **context)
{
	struct symbols *symbols = symbols_open();
	int line = caller();
	const struct symbol *symbol = symbols_call(symbols, &process, returned_to);

	(void)context;
	assert_string_equal(symbol->function, "caller");
	assert_string_equal(strrchr(symbol->file, '/') + 1, "symbols_test.c");
	assert_int_equal(symbol->line, line);
	assert_ptr_equal(symbols_call(symbols, &process, returned_to), symbol);
	symbols_close(symbols);
}

static void an_entry_is_found_by_its_own_address(void **context)
{
	struct symbols *symbols = symbols_open();
	const struct symbol *symbol = symbols_entry(symbols, &process, (uint64_t)(uintptr_t)caller);

	(void)context;
	assert_string_equal(symbol->function, "caller");
	symbols_close(symbols);
}

static void a_file_that_is_not_the_recorded_one_gives_no_names(void **context)
{
	struct symbols *symbols = symbols_open();
	const struct symbol *symbol;

	(void)context;
	self.build_id.size = 20;
	memset(self.build_id.bytes, 0xee, 20);
	symbol = symbols_entry(symbols, &process, self.base + 0x1234);
	assert_string_equal(symbol->function, "symbols_test+0x1234");
	assert_string_equal(symbol->file, "");
	assert_int_equal(symbol->line, 0);
	self.build_id.size = 0;
	symbols_close(symbols);
}

static void addresses_without_a_file(void **context)
{
	struct symbols *symbols = symbols_open();
	struct module gone = {
	    .path = (char *)"/no/such/lib.so", .base = 0x1000, .low = 0x1000, .high = 0x2000};
	struct process other = {.modules = &gone, .module_count = 1};

	(void)context;
	assert_string_equal(symbols_entry(symbols, &other, 0x1010)->function, "lib.so+0x10");
	assert_string_equal(symbols_entry(symbols, &other, 0x5000)->function, "0x5000");
	assert_string_equal(symbols_call(symbols, &other, 0)->function, "0x0");
	symbols_close(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_call_is_found_at_its_line),
	    cmocka_unit_test(an_entry_is_found_by_its_own_address),
	    cmocka_unit_test(a_file_that_is_not_the_recorded_one_gives_no_names),
	    cmocka_unit_test(addresses_without_a_file),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
