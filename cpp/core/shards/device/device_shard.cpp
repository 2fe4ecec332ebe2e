#include "shards/device/device_shard.hpp"

namespace ceiba::shards {

using namespace device;

namespace {

class KernelShard final : public DeviceShard {
public:
    KernelShard(Device& device, DeviceTable table, std::uint64_t number, std::size_t fetch_rows)
        : device_(device),
          table_(std::move(table)),
          number_(number),
          per_plane_(columns_of_plane(device, table_.columns.size())),
          n_planes_((table_.columns.size() + per_plane_ - 1) / per_plane_),
          n_words_(record_words(device, table_.columns.size())),
          most_fetched_(std::bit_ceil(std::max<std::size_t>(32, fetch_rows))) {
        if (table_.n_rows > Shard::most_rows) throw std::invalid_argument("a shard has at most 2^30 rows");
    }

    DeviceBins bin(const std::vector<std::vector<double>>& edges, std::uint64_t rows, std::size_t n) override {
        plan_.reset();
        n_ = n;
        for (std::size_t side = 0; side < 2; ++side) {
            rows_.records[side] = records_[side].get<u32>(std::max<std::size_t>(n, 1) * n_words_ * n_planes_);
            rows_.ids[side] = ids_[side].get<u32>(std::max<std::size_t>(n, 1));
        }
        rows_.plane = n * n_words_;
        DeviceBins out;
        for (std::size_t plane = 0; plane < n_planes_; ++plane) {
            const std::size_t first = plane * per_plane_,
                              n_columns = std::min(per_plane_, table_.columns.size() - first);
            const BinRows params{.records = rows_.records[0] + plane * rows_.plane, .rows = at<u32>(rows),
                                 .ids = plane == 0 ? rows_.ids[0] : nullptr, .labels = at<u8>(table_.labels), .n = n};
            bin_plane(device_, tables_, {table_.columns.data() + first, n_columns}, {edges.data() + first, n_columns},
                      n_words_, params, out);
        }
        return out;
    }

    void begin_tree(std::uint64_t tree, std::shared_ptr<const Layout> layout) override {
        const CellShape& s = layout->shape;
        const auto whole = [](std::size_t x) { return static_cast<int>(x); };
        shape_ = {whole(s.n_classes), s.weighted, s.unit, whole(s.n_digits), s.weight_unit, whole(s.weight_digits),
                  whole(s.width()), 0, s.centre, s.per_square, at<u8>(table_.labels), at<double>(table_.numbers),
                  at<double>(table_.weights)};
        std::vector<Column> columns = table_.columns;
        std::vector<u32> first_cell;
        for (std::size_t c = 0; c < columns.size(); ++c) {
            columns[c].n_bins = narrow(layout->column[c].n_bins());
            if (layout->column[c].coarse) columns[c].type = coarse_type;
            first_cell.push_back(narrow(layout->column[c].first_cell));
        }
        send_tables(device_, fixed_, Table{columns, columns_}, Table{first_cell, first_cell_});
        tree_ = tree;
        plan_.emplace(std::move(layout), number_, n_);
        has_kept_ = false;
    }

    std::span<const std::uint64_t> answer(std::span<const std::uint64_t> rounds) override {
        const std::vector<TreeRound> trees = split_rounds(rounds);
        if (trees.size() != 1 || !plan_ || trees[0].tree != tree_) throw Contradiction("the tree is not in this shard");
        const RoundRequest request =
            plan_->read(trees[0].round, [this](const std::vector<Division>& d) { return divide(d); });
        head_ = plan_->head(request);
        if (request.kind == RequestKind::count) return count(request);
        if (request.kind == RequestKind::gather) return gather(request);
        if (request.kind == RequestKind::describe) return describe(request);
        return look(request);
    }

private:
    // Divides the rows of some nodes into chunks. Chunk::node is the index of a node among these.
    std::vector<Chunk> chunks_of(const std::vector<NodeRows>& nodes) const {
        std::size_t n = 0;
        for (const NodeRows& rows : nodes) n += rows.size();
        const std::size_t each =
            std::clamp<std::size_t>((n / (device_.n_processors * 8) + 511) / 512 * 512, 1024, chunk_rows);
        std::vector<Chunk> out;
        for (std::size_t k = 0; k < nodes.size(); ++k)
            for (std::size_t from = nodes[k].begin; from < nodes[k].end; from += each)
                out.push_back(
                    {narrow(k), narrow(from), narrow(std::min(nodes[k].end, from + each)), narrow(nodes[k].side)});
        return out;
    }

    // Writes the head, followed by words from the device.
    std::span<std::uint64_t> deliver(const u64* body, std::size_t n) {
        const std::size_t first = 3 + head_.size();
        std::uint64_t* const out = device_.answer_words(first + n);
        out[0] = static_cast<std::uint64_t>(Form::several), out[1] = 1, out[2] = head_.size() + n;
        std::copy(head_.begin(), head_.end(), out + 3);
        if (n > 0) device_.fetch(out + first, address_of(body), n * sizeof(u64));
        return {out, first + n};
    }
    u64* zeros(DeviceBuffer& buffer, std::size_t n) {
        u64* const p = buffer.get<u64>(n + 1);
        if (n > 0) device_.fill(address_of(p), 0, n * sizeof(u64));
        return p;
    }
    void carry(u64* cells, std::size_t n) {
        if (shape_.n_classes > 0 && !shape_.weighted) return;
        launch(device_, "carry_cells", (n + 255) / 256, 256, 0, Carry{shape_, cells, n, layout().shape.width()});
    }
    const Layout& layout() const { return plan_->layout(); }
    // --- dividing nodes: in halves, until each branch is separate. Two branches take one pass.
    struct Part {
        std::size_t division;
        NodeRows rows;
        std::size_t first, end;  // branches
    };

    std::vector<std::vector<BranchRows>> divide(const std::vector<Division>& divisions) {
        has_kept_ = false;
        std::vector<std::vector<BranchRows>> out;
        std::vector<Part> parts;
        const auto add = [&](const Part& part) {
            if (part.end - part.first == 1)
                out[part.division][part.first] = {part.rows.size(), part.rows.side};
            else
                parts.push_back(part);
        };
        for (std::size_t k = 0; k < divisions.size(); ++k) {
            out.emplace_back(divisions[k].n_branches());
            add({k, divisions[k].rows, 0, divisions[k].n_branches()});
        }
        while (!parts.empty()) {
            const std::vector<Part> whole = std::exchange(parts, {});
            const std::vector<std::size_t> n_left = halve(divisions, whole);
            for (std::size_t k = 0; k < whole.size(); ++k) {
                const auto [division, rows, first, end] = whole[k];
                const std::size_t middle = (first + end) / 2, cut = rows.begin + n_left[k];
                add({division, {rows.begin, cut, 1 - rows.side}, first, middle});
                add({division, {cut, rows.end, 1 - rows.side}, middle, end});
            }
        }
        return out;
    }

    // Moves the rows of every part to the other side, those of its lower branches first. Returns how many these are.
    std::vector<std::size_t> halve(const std::vector<Division>& divisions, const std::vector<Part>& parts) {
        std::vector<ByteRoute> routes;
        std::vector<NodeRows> nodes;
        std::vector<char> open;  // per part and half: whether any of its branches stays
        for (const Part& part : parts) {
            const Division& division = divisions[part.division];
            const std::size_t middle = (part.first + part.end) / 2;
            ByteRoute& route = routes.emplace_back();
            route.column = narrow(division.route.column);
            route.exact = division.exact == Division::none ? max_bins : narrow(division.exact);
            route.cut = division.route.cut;
            for (std::size_t b = 0; b < division.branch_of.size(); ++b)
                if (division.branch_of[b] >= middle) route.right[b / 32] |= 1u << b % 32;
            // Halves with several branches are divided again: their rows are needed even if they are only counted.
            open.push_back(middle - part.first > 1 || division.route.open[part.first]);
            open.push_back(part.end - middle > 1 || division.route.open[middle]);
            nodes.push_back(part.rows);
        }
        const std::vector<Chunk> chunks = chunks_of(nodes);
        u32* const n_right = counts_.get<u32>(3 * chunks.size() + 1);
        Divide params{rows_, columns_, nullptr, nullptr, flags_.get<u32>(chunks.size() * (chunk_rows / 32) + 1),
                      n_right, n_right + chunks.size(), n_right + 2 * chunks.size(), narrow(per_plane_), 0};
        send_tables(device_, tables_, Table{chunks, params.chunks}, Table{routes, params.routes});
        launch(device_, "mark_right", chunks.size(), 512, 0, params);
        std::vector<u32> right(chunks.size()), places(2 * chunks.size());
        if (!right.empty()) device_.fetch(right.data(), address_of(n_right), right.size() * sizeof(u32));
        std::vector<std::size_t> n_left;
        for (std::size_t k = 0, c = 0; k < parts.size(); ++k) {
            std::size_t n_rows_right = 0, end = c;
            for (; end < chunks.size() && chunks[end].node == k; ++end) n_rows_right += right[end];
            n_left.push_back(nodes[k].size() - n_rows_right);
            std::size_t left_at = nodes[k].begin, right_at = left_at + n_left.back();
            for (; c < end; ++c) {
                places[c] = open[2 * k] ? narrow(left_at) : no_place;
                places[chunks.size() + c] = open[2 * k + 1] ? narrow(right_at) : no_place;
                left_at += chunks[c].to - chunks[c].from - right[c];
                right_at += right[c];
            }
        }
        if (!chunks.empty()) device_.send(address_of(params.left_at), places.data(), places.size() * sizeof(u32));
        launch(device_, "part_rows", chunks.size(), 512, 0, params, n_planes_);
        return n_left;
    }

    std::span<const std::uint64_t> count(const RoundRequest& request) {
        const std::size_t n_words = layout().n_words(), n_nodes = request.nodes.size();
        const std::vector<Chunk> chunks = chunks_of(request.nodes);
        Count params{rows_, shape_, nullptr, first_cell_, n_words, zeros(out_, n_nodes * n_words),
                     narrow(table_.columns.size()), narrow(per_plane_), 0, 1};
        send_tables(device_, tables_, Table{chunks, params.chunks});
        if (shape_.n_classes == 2 && !shape_.weighted) {
            launch(device_, "count_two", chunks.size(), 512, per_plane_ * max_bins * 4, params, n_planes_);
        } else {
            const std::size_t word = shape_.n_classes > 0 && !shape_.weighted ? 4 : 8,
                              column = max_bins * static_cast<std::size_t>(shape_.width) * word;
            const std::size_t fit = (device_.shared_bytes - 1024) / column, at_once = std::min(per_plane_, fit);
            params.in_shared = at_once > 0;
            params.at_once = narrow(at_once > 0 ? at_once : per_plane_);
            const std::size_t blocks = (per_plane_ + params.at_once - 1) / params.at_once;
            launch(device_, "count_cells", chunks.size(), 1024, at_once * column, params, n_planes_ * blocks);
        }
        carry(params.out, n_nodes * layout().n_cells);
        return deliver(params.out, n_nodes * n_words);
    }

    std::span<const std::uint64_t> describe(const RoundRequest& request) {
        const std::size_t n = request.nodes.size();
        const std::vector<Chunk> chunks = chunks_of(request.nodes);
        std::vector<u64> start(n * any_digits, 0);
        for (std::size_t k = 0; k < n; ++k) start.insert(start.end(), {0, ~u64{0}});
        u64* const out = out_.get<u64>(start.size() + 1);
        device_.send(address_of(out), start.data(), start.size() * sizeof(u64));
        Describe params{rows_, shape_, nullptr, nullptr, out, out + n * any_digits, any_digits, narrow(n)};
        send_tables(device_, tables_, Table{chunks, params.chunks}, Table{request.values, params.value});
        launch(device_, "describe_rows", chunks.size(), 512, any_digits * 256, params);
        launch(device_, "carry_digits", (n + 63) / 64, 64, 0, params);
        return deliver(out, start.size());
    }

    std::span<const std::uint64_t> gather(const RoundRequest& request) {
        std::vector<u64> offset;
        std::vector<u32> n_rows, begin;
        const std::size_t words_of_row = table_.columns.size() + 1 + layout().shape.weighted;
        u64 n_words = 0;
        for (const NodeRows& rows : request.nodes) {
            offset.push_back(n_words + 1);
            n_rows.push_back(narrow(rows.size()));
            begin.push_back(narrow(rows.begin));
            n_words += 1 + rows.size() * words_of_row;
        }
        const std::vector<Chunk> chunks = chunks_of(request.nodes);
        Gather params{rows_, shape_, columns_, nullptr, nullptr, nullptr, nullptr, zeros(out_, n_words),
                      narrow(table_.columns.size()), narrow(per_plane_)};
        send_tables(device_, tables_, Table{chunks, params.chunks}, Table{offset, params.offset},
                    Table{n_rows, params.n_rows}, Table{begin, params.begin});
        launch(device_, "gather_rows", chunks.size(), 256, 0, params, words_of_row);
        const std::span<std::uint64_t> all = deliver(params.out, n_words);
        for (std::size_t k = 0; k < n_rows.size(); ++k) all[3 + head_.size() + offset[k] - 1] = n_rows[k];
        return all;
    }

    // A place whose rows were kept by the first zoom of the level, with the queries of that zoom.
    struct KeptPlace {
        std::size_t node, column, first, n;
    };

    // The kept place that contains all queries of a place.
    std::size_t kept_place(const QueryPlace& place) const {
        const auto match = std::partition_point(kept_places_.begin(), kept_places_.end(), [&](const KeptPlace& k) {
            return k.node < place.node || (k.node == place.node && k.column < place.column);
        });
        if (!has_kept_ || match == kept_places_.end() || match->node != place.node || match->column != place.column)
            return Division::none;
        const auto from = kept_queries_.begin() + static_cast<std::ptrdiff_t>(match->first),
                   to = from + static_cast<std::ptrdiff_t>(match->n);
        for (const RangeQuery& query : place.queries) {
            const auto holder = std::partition_point(from, to, [&](const RangeQuery& k) { return k.high < query.low; });
            if (holder == to || holder->low > query.low || holder->high < query.high) return Division::none;
        }
        return static_cast<std::size_t>(match - kept_places_.begin());
    }

    std::span<const std::uint64_t> look(const RoundRequest& request) {
        // Per node: its tables are in shared memory, and more tables would leave fewer blocks per processor.
        const std::size_t places_at_once = std::min<std::size_t>(40, (device_.shared_bytes - 1024) / (max_bins * 4));
        const bool zooms = request.kind == RequestKind::zoom;
        std::vector<NodeRows> nodes;
        std::vector<u32> first_place;
        std::vector<Place> places, again(has_kept_ ? kept_places_.size() : 0);
        std::vector<Query> queries;
        for (const RangeQuery& q : request.queries)
            queries.push_back({q.low, q.high, static_cast<u32>(zoom_shift(q.low, q.high, request.zoom_bits)),
                               request.bins[queries.size()]});
        bool keeps = zooms && !has_kept_ && n_words_ >= kept_words, looks_again = false;
        std::vector<KeptPlace> keeping;
        std::size_t last_node = Division::none, most_places = 0;
        for (const QueryPlace& place : request.places) {
            const Place entry{narrow(place.column), narrow(place.first), narrow(place.queries.size()), 0};
            if (const std::size_t index = kept_place(place); index != Division::none) {
                again[index] = entry;
                looks_again = true;
                continue;
            }
            const bool full = !first_place.empty() && places.size() - first_place.back() == places_at_once;
            if (place.node != last_node || full) {
                keeps = keeps && place.node != last_node;  // two parts of a node would keep their rows in one place
                last_node = place.node;
                nodes.push_back(place.rows);
                first_place.push_back(narrow(places.size()));
            }
            keeping.push_back({place.node, place.column, place.first, place.queries.size()});
            places.push_back(entry);
            most_places = std::max(most_places, places.size() - first_place.back());
        }
        first_place.push_back(narrow(places.size()));
        const std::vector<Chunk> chunks = chunks_of(nodes);
        Look params{.rows = rows_,
                    .shape = shape_,
                    .columns = columns_,
                    .most_rows = narrow(most_fetched_),
                    .n_parts = narrow(std::size_t{1} << request.zoom_bits),
                    .per_plane = narrow(per_plane_)};
        send_tables(device_, tables_, Table{chunks, params.chunks}, Table{first_place, params.first_place},
                    Table{places, params.places}, Table{queries, params.queries}, Table{again, params.again});
        const auto run = [&](const char* first, const char* second) {
            launch(device_, first, chunks.size(), 512, most_places * max_bins * 4, params);
            if (!looks_again) return;
            Look kept_params = params;
            kept_params.chunks = kept_chunks_.get<Chunk>(n_kept_chunks_);
            kept_params.n_kept = n_kept_.get<u32>(n_kept_chunks_);
            launch(device_, second, n_kept_chunks_, 128, 0, kept_params);
        };
        const std::size_t n = queries.size();
        if (request.kind == RequestKind::neighbours) {
            std::vector<u64> start;
            for (std::size_t i = 0; i < n; ++i) start.push_back(i % 2 ? ~u64{0} : 0);
            params.out = out_.get<u64>(n + 1);
            device_.send(address_of(params.out), start.data(), n * sizeof(u64));
            run("adjoin", "adjoin_again");
            return deliver(params.out, n);
        }
        if (!zooms) return fetch(params, n, run);
        const std::size_t n_cells = n << request.zoom_bits;
        params.out = zeros(out_, n_cells * layout().shape.width());
        if (keeps) {
            n_kept_chunks_ = chunks.size();
            Chunk* const to = kept_chunks_.get<Chunk>(chunks.size() + 1);
            if (!chunks.empty()) device_.send(address_of(to), chunks.data(), chunks.size() * sizeof(Chunk));
            params.n_kept = n_kept_.get<u32>(chunks.size() + 1);
            kept_places_ = std::move(keeping);
            kept_queries_ = request.queries;
            has_kept_ = true;
        }
        run(keeps ? "zoom_and_keep" : "zoom", "zoom_again");
        if (keeps) forget_overflows(chunks, first_place);
        carry(params.out, n_cells);
        return deliver(params.out, n_cells * layout().shape.width());
    }

    // Forgets the kept places of nodes with a chunk that had no room for all its rows. They are scanned again.
    void forget_overflows(const std::vector<Chunk>& chunks, const std::vector<u32>& first_place) {
        std::vector<u32> n_kept(chunks.size());
        if (!chunks.empty())
            device_.fetch(n_kept.data(), address_of(n_kept_.get<u32>(chunks.size())), chunks.size() * sizeof(u32));
        for (std::size_t c = 0; c < chunks.size(); ++c) {
            const auto [node, from, to, side] = chunks[c];
            if (n_kept[c] <= (to - from) * n_words_ / kept_words) continue;
            for (u32 place = first_place[node]; place < first_place[node + 1]; ++place) kept_places_[place].n = 0;
        }
    }

    template <class Run>
    std::span<const std::uint64_t> fetch(Look& params, std::size_t n, Run run) {
        const std::size_t room = n * most_fetched_;
        Fetched fetched{.shape = shape_, .keys = keys_.get<u64>(room), .row = found_.get<u32>(room),
                        .run = run_.get<u32>(room), .n_found = counts_.get<u32>(2 * n),
                        .most_rows = narrow(most_fetched_)};
        fetched.n_runs = fetched.n_found + n;
        device_.fill(address_of(fetched.n_found), 0, n * sizeof(u32));
        params.out = fetched.keys, params.n_found = fetched.n_found, params.found_row = fetched.row;
        run("fetch", "fetch_again");
        const std::size_t threads = std::clamp<std::size_t>(most_fetched_ / 4, 32, 512);
        launch(device_, "sort_fetched", n, threads, most_fetched_ * 12, fetched);
        std::vector<u32> numbers(2 * n);
        device_.fetch(numbers.data(), address_of(fetched.n_found), numbers.size() * sizeof(u32));
        std::vector<u64> offset;
        u64 n_words = 0;
        for (std::size_t q = 0; q < n; ++q) {
            if (numbers[q] > most_fetched_) throw Contradiction("a range has more rows than were counted in it");
            offset.push_back(n_words);
            n_words += 1 + numbers[n + q] * (layout().shape.width() + 1);
        }
        send_tables(device_, tables_, Table{offset, fetched.offset});
        fetched.out = zeros(out_, n_words);
        launch(device_, "write_runs", n, std::min<std::size_t>(256, most_fetched_), 0, fetched);
        return deliver(fetched.out, n_words);
    }

    Device& device_;
    DeviceTable table_;
    std::uint64_t number_, tree_ = 0;
    std::size_t per_plane_, n_planes_, n_words_, most_fetched_, n_ = 0;
    DeviceBuffer records_[2]{DeviceBuffer(device_), DeviceBuffer(device_)},
        ids_[2]{DeviceBuffer(device_), DeviceBuffer(device_)};
    DeviceBuffer tables_{device_}, fixed_{device_}, flags_{device_}, counts_{device_}, out_{device_}, keys_{device_},
        found_{device_}, run_{device_}, n_kept_{device_}, kept_chunks_{device_};
    Rows rows_{};
    Shape shape_{};
    const Column* columns_ = nullptr;
    const u32* first_cell_ = nullptr;
    std::optional<RoundPlan> plan_;
    Words head_;
    bool has_kept_ = false;
    std::vector<KeptPlace> kept_places_;
    std::vector<RangeQuery> kept_queries_;
    std::size_t n_kept_chunks_ = 0;
};

}  // namespace

std::unique_ptr<DeviceShard> make_device_shard(Device& device, DeviceTable table, std::uint64_t number,
                                               std::size_t fetch_rows) {
    return std::make_unique<KernelShard>(device, std::move(table), number, fetch_rows);
}

}  // namespace ceiba::shards
