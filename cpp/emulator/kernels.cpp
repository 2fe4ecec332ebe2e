// The GPU kernels of shards as a library for tests. `emulate` runs a kernel by name.
#include "emulator.hpp"

inline unsigned record_words = 6;
#define RECORD_WORDS record_words
#include "shards/device/kernels/look.hpp"
#include "shards/device/kernels/setup.hpp"

extern "C" int emulate(const char* name, unsigned words, unsigned grid, unsigned rows, unsigned threads,
                       std::size_t shared_bytes, const void* params, std::size_t n_bytes) {
    record_words = words;
    bool match = false;
    const auto offer = [&]<class P>(const char* kernel_name, void (*kernel)(P)) {
        if (std::strcmp(name, kernel_name) != 0 || n_bytes != sizeof(P)) return;
        P copy;
        std::memcpy(&copy, params, sizeof(P));
        emulator::launch([copy, kernel] { kernel(copy); }, grid, rows, threads, shared_bytes);
        match = true;
    };
#define OFFER(kernel) offer(#kernel, kernel)
    OFFER(bin_floats), OFFER(bin_short), OFFER(bin_wide), OFFER(scan_numbers), OFFER(count_labels), OFFER(write_labels);
    OFFER(mark_right), OFFER(part_rows), OFFER(carry_cells), OFFER(carry_digits), OFFER(count_two), OFFER(count_cells);
    OFFER(describe_rows), OFFER(zoom_and_keep), OFFER(zoom), OFFER(fetch), OFFER(adjoin), OFFER(zoom_again);
    OFFER(fetch_again), OFFER(adjoin_again), OFFER(sort_fetched), OFFER(write_runs), OFFER(gather_rows);
    OFFER(route_rows), OFFER(take_sample);
    return match ? 0 : 1;
}
