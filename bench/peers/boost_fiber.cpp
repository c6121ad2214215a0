// SPDX-License-Identifier: MIT
//
// The measurements of gtrace-bench with boost.fiber.
#include <boost/fiber/all.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <unistd.h>

namespace
{

namespace fibers = boost::fibers;

double now()
{
	using namespace std::chrono;
	return duration<double, std::nano>(steady_clock::now().time_since_epoch()).count();
}

double yield()
{
	const int yields = 1000000;
	auto yielder = [] {
		for (int i = 0; i < yields; i++)
			boost::this_fiber::yield();
	};
	double begin = now();
	fibers::fiber a(yielder), b(yielder);
	a.join();
	b.join();
	return (now() - begin) / (2.0 * yields);
}

/* With a pool of stacks: its default gives each back to the system. */
double spawn()
{
	const int batch = 100, batches = 2000;
	std::vector<fibers::fiber> all(batch);
	fibers::pooled_fixedsize_stack stacks;
	double begin = 0;

	for (int b = -10; b < batches; b++) {
		if (b == 0)
			begin = now();
		for (auto &fiber : all)
			fiber = fibers::fiber(std::allocator_arg, stacks, [] {});
		for (auto &fiber : all)
			fiber.join();
	}
	return (now() - begin) / (batch * batches);
}

double channel()
{
	const std::int64_t trips = 500000;
	fibers::unbuffered_channel<std::int64_t> there, back;
	fibers::fiber echo([&] {
		std::int64_t value;
		while (there.pop(value) == fibers::channel_op_status::success)
			back.push(value);
	});
	std::int64_t value;
	double begin = now();
	for (std::int64_t i = 0; i < trips; i++) {
		there.push(i);
		back.pop(value);
	}
	double figure = (now() - begin) / trips;
	there.close();
	echo.join();
	return figure;
}

double resident_bytes()
{
	long pages = 0;
	FILE *file = std::fopen("/proc/self/statm", "re");
	if (!file || std::fscanf(file, "%*s %ld", &pages) != 1)
		std::exit(1);
	std::fclose(file);
	return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double parked_bytes()
{
	const int count = 100000;
	fibers::mutex mutex;
	fibers::condition_variable changed;
	bool stop = false;
	std::vector<fibers::fiber> all;

	all.reserve(count);
	double before = resident_bytes();
	for (int i = 0; i < count; i++)
		all.emplace_back([&] {
			std::unique_lock<fibers::mutex> lock(mutex);
			changed.wait(lock, [&] { return stop; });
		});
	boost::this_fiber::yield();
	double figure = (resident_bytes() - before) / count;
	{
		std::unique_lock<fibers::mutex> lock(mutex);
		stop = true;
	}
	changed.notify_all();
	for (auto &fiber : all)
		fiber.join();
	return figure;
}

const struct {
	const char *name;
	double (*measure)();
} measurements[] = {
    {"yield", yield},
    {"spawn", spawn},
    {"channel", channel},
    {"parked_bytes", parked_bytes},
};

} // namespace

int main(int argc, char **argv)
{
	for (const auto &m : measurements)
		if (argc == 2 && !std::strcmp(argv[1], m.name)) {
			std::printf("figure %.4f\n", m.measure());
			return 0;
		}
	std::fprintf(stderr, "usage: boost-fiber yield|spawn|channel|parked_bytes\n");
	return 2;
}
