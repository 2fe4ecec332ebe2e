#include "shards/device/bins.hpp"

namespace ceiba::shards {

using namespace device;

namespace {

// Whether values and edges are float32, so that 32-bit keys suffice.
bool is_short(const Column& column, const std::vector<double>& edges) {
    constexpr u32 float32 = 1, int16 = 4, int8 = 5, uint16 = 7, uint8 = 8;
    const u32 t = column.type;
    const bool floats = t == float32 || t == int16 || t == int8 || t == uint16 || t == uint8 || t == level_type;
    return floats && std::all_of(edges.begin(), edges.end(),
                                 [](double e) { return static_cast<double>(static_cast<float>(e)) == e; });
}
void to_key(double x, u32& key) {
    const u32 bits = std::bit_cast<u32>(static_cast<float>(x) + 0.0f);
    key = bits ^ ((bits >> 31) ? ~0u : 1u << 31);
}
void to_key(double x, u64& key) { key = key_of(x); }
double to_number(u32 key) { return std::bit_cast<float>(key ^ ((key >> 31) ? 1u << 31 : ~0u)); }
double to_number(u64 key) { return number_of(key); }

// Edges are stored as a search tree: the root at 1, the branches of k at 2 k and 2 k + 1. In ascending order, the edges
// that threads compare in the same step would be in few banks of shared memory.
std::size_t place_of_edge(std::size_t e) { return (max_bins | (e + 1)) >> (std::countr_zero(e + 1) + 1); }

template <class Key>
void bin_by_keys(Device& device, DeviceBuffer& tables, std::span<const Column> columns,
                 std::span<const std::vector<double>> edges, std::size_t record_words, BinRows params,
                 const char* kernel, DeviceBins& out) {
    const std::size_t n = columns.size() * max_bins;
    std::vector<Key> all(3 * n, ~Key{0});  // edges, least, most
    std::fill(all.begin() + static_cast<std::ptrdiff_t>(2 * n), all.end(), Key{0});
    std::vector<Column> copies(columns.begin(), columns.end());
    for (std::size_t c = 0; c < copies.size(); ++c) {
        for (std::size_t e = 0; e < edges[c].size(); ++e) to_key(edges[c][e], all[c * max_bins + place_of_edge(e)]);
        if (copies[c].type != level_type) copies[c].n_bins = narrow(edges[c].size() + 1);
    }
    std::vector<u64> missing(copies.size(), 0);
    const Key* keys = nullptr;
    const u64* n_missing = nullptr;
    send_tables(device, tables, Table{all, keys}, Table{copies, params.columns}, Table{missing, n_missing});
    params.edges = keys, params.least = const_cast<Key*>(keys + n), params.most = const_cast<Key*>(keys + 2 * n);
    params.n_missing = const_cast<u64*>(n_missing);
    params.n_columns = narrow(copies.size());
    const std::size_t fixed = 3 * n * sizeof(Key);
    std::size_t threads = fixed > 90000 ? 1024 : 512;
    while (threads > 32 && fixed + threads * record_words * 4 + 2048 > device.shared_bytes) threads /= 2;
    const std::size_t each = fixed > 90000 ? 1 : fixed > 62000 ? 2 : 3;
    const std::size_t grid = std::min<std::size_t>(each * device.n_processors, (params.n + threads - 1) / threads);
    launch(device, kernel, grid, threads, fixed + threads * record_words * 4, params);
    device.fetch(all.data() + n, address_of(keys + n), 2 * n * sizeof(Key));
    device.fetch(missing.data(), address_of(n_missing), missing.size() * sizeof(u64));
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (std::size_t c = 0; c < copies.size(); ++c) {
        BinRanges& range = out.ranges.emplace_back();
        out.n_missing.push_back(missing[c]);
        for (std::size_t b = c * max_bins; copies[c].type != level_type && b < c * max_bins + copies[c].n_bins; ++b) {
            const Key least = all[n + b], most = all[2 * n + b];
            range.least.push_back(least <= most ? to_number(least) : infinity);
            range.most.push_back(least <= most ? to_number(most) : -infinity);
        }
    }
}

}  // namespace

std::size_t columns_of_plane(const Device& device, std::size_t n_columns) {
    const std::size_t room = device.shared_bytes - std::min<std::size_t>(device.shared_bytes / 2, 16 << 10);
    const std::size_t most = std::clamp<std::size_t>(room / (max_bins * 24), 1, 4 * max_words - 1);
    const std::size_t n_planes = (n_columns + most - 1) / most;
    return (n_columns + n_planes - 1) / n_planes;
}

void bin_plane(Device& device, DeviceBuffer& tables, std::span<const Column> columns,
               std::span<const std::vector<double>> edges, std::size_t record_words, BinRows params, DeviceBins& out) {
    bool floats = true, short_keys = true;
    for (std::size_t c = 0; c < columns.size(); ++c) {
        floats = floats && columns[c].type == 1;
        short_keys = short_keys && is_short(columns[c], edges[c]);
    }
    const char* const kernel = !short_keys ? "bin_wide" : floats ? "bin_floats" : "bin_short";
    const auto bin = short_keys ? bin_by_keys<u32> : bin_by_keys<u64>;
    bin(device, tables, columns, edges, record_words, params, kernel, out);
}

BinRanges values_around(Device& device, const Column& column, std::size_t n_rows, const std::vector<double>& cuts) {
    DeviceBuffer tables(device);
    DeviceBins bins;
    bin_plane(device, tables, {&column, 1}, {&cuts, 1}, 1, {.n = n_rows}, bins);
    // Bin b is between the cuts b - 1 and b; the nearest bins with a value contain the neighbours.
    BinRanges out{{}, std::vector<double>(cuts.size())};
    double below = -std::numeric_limits<double>::infinity(), above = -below;
    for (std::size_t k = 0; k < cuts.size(); ++k) out.least.push_back(below = std::max(below, bins.ranges[0].most[k]));
    for (std::size_t k = cuts.size(); k-- > 0;) out.most[k] = above = std::min(above, bins.ranges[0].least[k + 1]);
    return out;
}

}  // namespace ceiba::shards
