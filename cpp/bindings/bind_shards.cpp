// Bindings of shards. Messages are arrays of uint64, which are pickled and sent without conversion.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "base/fixed_point.hpp"
#include "bindings.hpp"
#include "shards.hpp"
#include "shards/level_grower.hpp"
#include "shards/rows/shard.hpp"
#include "split/bins/binning.hpp"

namespace ceiba::bindings {

namespace {

// A shard together with the arrays that it views.
struct OwningShard {
    OwningShard(const data::Table& columns, shards::ShardTarget rows, std::uint64_t number)
        : table(columns), target(rows), shard(columns, rows, number) {}

    data::Table table;
    shards::ShardTarget target;
    std::vector<nb::object> owners;
    shards::Shard shard;
};

void bind_layout(nb::module_& m) {
    nb::class_<SharedLayout>(m, "ShardLayout",
                             "The layout that all shards of a table share: the bins of each column, and the counts "
                             "per node.")
        .def(
            "__init__",
            [](SharedLayout* self, std::size_t n_classes) {
                new (self) SharedLayout;
                self->layout->shape.n_classes = n_classes;
            },
            nb::arg("n_classes"))
        .def_static(
            "of_numbers",
            [](std::pair<double, double> range, std::pair<int, int> bits, std::uint64_t n_rows, bool rates) {
                SharedLayout shared;
                shared.layout->shape =
                    shards::CellShape::of_numbers(range.first, range.second, bits.first, bits.second, n_rows, rates);
                return shared;
            },
            nb::arg("range"), nb::arg("bits"), nb::arg("n_rows"), nb::arg("rates"),
            "Return the layout for a numeric target with this range and these bits (see bit_range).")
        .def(
            "weigh",
            [](SharedLayout& self, std::pair<int, int> bits) { self.layout->shape.weigh(bits.first, bits.second); },
            nb::arg("bits"),
            "Enable row weights that use these bits (see bit_range). Call this before adding columns.")
        .def(
            "add_numbers",
            [](SharedLayout& self, const Array1<double>& edge, const Array1<double>& least,
               const Array1<double>& most) {
                shards::ColumnLayout column;
                column.edge = to_vector(edge);
                column.least = to_vector(least);
                column.most = to_vector(most);
                if (column.edge.size() >= split::most_bins || column.least.size() != column.n_bins() ||
                    column.most.size() != column.n_bins())
                    throw std::invalid_argument("a column must have at most 254 edges, and one range per bin");
                self.layout->add(std::move(column));
            },
            nb::arg("edge"), nb::arg("least"), nb::arg("most"),
            "Add a numeric column: its bin edges, and the smallest and largest value in each bin of the whole table.")
        .def(
            "add_levels",
            [](SharedLayout& self, std::size_t n_levels) {
                shards::ColumnLayout column;
                column.n_levels = n_levels;
                self.layout->add(std::move(column));
            },
            nb::arg("n_levels"), "Add a categorical column.")
        .def(
            "add_coarse",
            [](SharedLayout& self, const Array1<double>& edge) {
                shards::ColumnLayout column;
                column.edge = to_vector(edge);
                if (column.edge.size() >= split::most_bins)
                    throw std::invalid_argument("a column must have at most 254 edges");
                for (std::size_t b = 0; b < column.n_bins(); ++b) column.least.push_back(static_cast<double>(b));
                column.most = column.least;
                column.coarse = true;
                self.layout->add(std::move(column));
            },
            nb::arg("edge"), "Add a numeric column that is cut only at these edges.")
        .def_prop_ro(
            "n_words", [](const SharedLayout& self) { return self.layout->n_words(); },
            "Number of words for the counts of one node.");
    m.def(
        "bit_range",
        [](const Array1<double>& values) {
            base::BitRange range;
            for (std::size_t i = 0; i < values.shape(0); ++i) range.include(values.data()[i]);
            return std::pair(range.empty() ? 0 : range.lowest, range.empty() ? 0 : range.highest);
        },
        nb::arg("values"),
        "Return (lowest, highest) such that all values are multiples of 2^lowest and below 2^highest in magnitude.");
    m.def(
        "sum_digits",
        [](const Array1<double>& values, std::optional<Array1<std::int32_t>> groups, std::size_t n_groups) {
            shards::Words digits(n_groups * shards::any_digits, 0);
            for (std::size_t i = 0; i < values.shape(0); ++i) {
                const auto group = groups ? static_cast<std::size_t>(groups->data()[i]) : 0;
                shards::NumberDigits(values.data()[i], shards::any_unit)
                    .add_to(digits.data() + group * shards::any_digits);
            }
            for (std::size_t g = 0; g < n_groups; ++g)
                shards::carry(digits.data() + g * shards::any_digits, shards::any_digits);
            return to_numpy(std::move(digits));
        },
        nb::arg("values"), nb::arg("groups").none(), nb::arg("n_groups"),
        "Return the exact sum of each group as digits, to which the digits of other parts of a table can be added.");
    m.def(
        "digit_sums",
        [](const Message& digits) {
            std::vector<double> sums;
            for (std::size_t at = 0; at + shards::any_digits <= digits.shape(0); at += shards::any_digits)
                sums.push_back(shards::sum_of(digits.data() + at, shards::any_digits, shards::any_unit).value());
            return to_numpy(std::move(sums));
        },
        nb::arg("digits"), "Return exact sums, given as digits, as float64 numbers that are rounded once.");
    m.def(
        "place_edges",
        [](const Array1<double>& values, int max_bins, bool single, std::optional<Array1<double>> weights) {
            if (weights && weights->shape(0) != values.shape(0))
                throw std::invalid_argument("weights must have one value per row");
            std::vector<double> edges;
            {
                const nb::gil_scoped_release no_gil;
                const std::vector<double> weight = weights ? to_vector(*weights) : std::vector<double>{};
                edges = split::edges_of(to_vector(values), weight, max_bins, single);
            }
            return to_numpy(std::move(edges));
        },
        nb::arg("values"), nb::arg("max_bins"), nb::arg("single"), nb::arg("weights").none() = nb::none(),
        "Return the edges of at most max_bins bins with about the same number of values, or about the same weight.");
    m.def(
        "place_edges_of",
        [](const std::vector<Array1<double>>& columns, int max_bins, const std::vector<bool>& single) {
            std::vector<std::vector<double>> edges(columns.size());
            {
                const nb::gil_scoped_release no_gil;
                const auto n_threads = std::min<std::size_t>(columns.size(), std::thread::hardware_concurrency());
                base::ThreadPool pool(static_cast<int>(std::max<std::size_t>(1, n_threads)));
                pool.run(columns.size(), [&](std::size_t c, int) {
                    edges[c] = split::edges_of(to_vector(columns[c]), {}, max_bins, single.at(c));
                });
            }
            return edges;
        },
        nb::arg("columns"), nb::arg("max_bins"), nb::arg("single"),
        "Return the bin edges of several columns (see place_edges), computed in parallel.");
    m.def(
        "approximate_sample",
        [](std::size_t n_rows) {
            const std::vector<std::size_t> rows = split::approximate_sample(n_rows);
            return to_numpy(std::vector<std::int64_t>(rows.begin(), rows.end()));
        },
        nb::arg("n_rows"), "Return the rows, out of n_rows, from which the edges for max_bins are computed.");
    m.def(
        "bin_rows",
        [](const Columns& columns, const std::vector<std::vector<double>>& edges, Room<std::uint8_t, 2> bytes) {
            if (edges.size() != columns.table.columns.size() || bytes.shape(0) != columns.table.n_rows)
                throw std::invalid_argument("edges must have one entry per column, and bytes one per row");
            std::vector<shards::BinRanges> ranges;
            interruptible([&](base::Interrupt& interrupt) {
                ranges = shards::bin_rows(columns.table, edges, bytes.data(), interrupt);
            });
            nb::list out;
            for (shards::BinRanges& range : ranges)
                out.append(nb::make_tuple(to_numpy(std::move(range.least)), to_numpy(std::move(range.most))));
            return out;
        },
        nb::arg("columns"), nb::arg("edges"), nb::arg("bytes"),
        "Write the bin of every value to `bytes`, and return the smallest and largest value in each bin of each "
        "column.");
}

void bind_shard(nb::module_& m) {
    nb::class_<OwningShard>(m, "Shard", "A part of the rows of a table, which answers rounds of requests.")
        .def(
            "__init__",
            [](OwningShard* self, nb::object columns, std::optional<Array1<std::int32_t>> labels,
               std::optional<Array1<double>> numbers, std::optional<Array1<double>> weights, std::uint64_t number) {
                const data::Table& table = nb::cast<const Columns&>(columns).table;
                const std::size_t n_target = labels ? labels->shape(0) : numbers ? numbers->shape(0) : 0;
                if (n_target != table.n_rows || (weights && weights->shape(0) != table.n_rows))
                    throw std::invalid_argument("the arrays of a shard must have the same number of rows");
                new (self) OwningShard(table,
                                       {labels ? labels->data() : nullptr, numbers ? numbers->data() : nullptr,
                                        weights ? weights->data() : nullptr},
                                       number);
                self->owners = {columns, labels ? nb::cast(*labels) : nb::cast(*numbers),
                                weights ? nb::cast(*weights) : nb::none()};
            },
            nb::arg("columns"), nb::arg("labels").none(), nb::arg("numbers").none(), nb::arg("weights").none(),
            nb::arg("number"))
        .def(
            "add_tree",
            [](OwningShard& self, std::uint64_t tree, const Room<const std::uint8_t, 2>& bytes,
               Room<std::uint32_t, 1> order, const SharedLayout& layout) {
                const shards::Layout& bins = *layout.layout;
                const data::Table& table = self.table;
                if (bytes.shape(0) != table.n_rows || bytes.shape(1) != bins.n_slots || order.shape(0) > table.n_rows ||
                    (self.target.weights != nullptr) != bins.shape.weighted ||
                    (self.target.labels != nullptr) != bins.shape.classes() ||
                    table.columns.size() != bins.column.size())
                    throw std::invalid_argument("the arrays of a tree must match its shard and layout");
                self.owners.insert(self.owners.end(), {nb::cast(bytes), nb::cast(order)});
                self.shard.add_tree(tree, bytes.data(), {order.data(), order.shape(0)}, layout.layout);
            },
            nb::arg("tree"), nb::arg("bytes"), nb::arg("order"), nb::arg("layout"),
            "Add a tree, with the bins of all rows, a buffer that contains its rows, and the layout of the bins.")
        .def(
            "answer",
            [](OwningShard& self, const Message& rounds) {
                shards::Words out;
                {
                    const nb::gil_scoped_release no_gil;
                    out = self.shard.answer(words_of(rounds));
                }
                return to_message(std::move(out));
            },
            nb::arg("rounds"), "Return the answers to the rounds of some trees.");
    m.def(
        "join_rounds",
        [](const std::vector<std::pair<std::uint64_t, shards::LevelGrower*>>& growers) {
            std::vector<shards::TreeRound> all;
            for (const auto& [tree, grower] : growers) all.push_back({tree, grower->round()});
            return to_message(shards::join_rounds(all));
        },
        nb::arg("growers"),
        "Return one message with the rounds of several trees, given as pairs of tree number and grower.");
    m.def(
        "trees_of",
        [](const Message& rounds) {
            std::vector<std::uint64_t> trees;
            for (const shards::TreeRound& round : shards::split_rounds(words_of(rounds))) trees.push_back(round.tree);
            return trees;
        },
        nb::arg("rounds"), "Return the numbers of the trees whose rounds are in a message.");
    m.def(
        "split_answers",
        [](const Message& answers) {
            nb::list out;
            for (const auto words : shards::split_answers(words_of(answers)))
                out.append(nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<1>>(words.data(), {words.size()},
                                                                                    nb::cast(answers)));
            return out;
        },
        nb::arg("answers"), "Return the answer to the round of each tree, without a copy.");
    m.def(
        "holds_rows", [](const Message& answers) { return shards::holds_rows(words_of(answers)); }, nb::arg("answers"),
        "Whether answers contain gathered rows.");
    m.def(
        "merge_answers",
        [](const Message& a, const Message& b) {
            shards::Words out;
            {
                const nb::gil_scoped_release no_gil;
                out = shards::merge(words_of(a), words_of(b));
            }
            return to_message(std::move(out));
        },
        nb::arg("a"), nb::arg("b"), "Merge the answers of two shards to the same rounds.");
}

const char* word_of(shards::RequestKind kind) {
    using shards::RequestKind;
    if (kind == RequestKind::count) return "count";
    if (kind == RequestKind::zoom) return "zoom";
    if (kind == RequestKind::fetch) return "fetch";
    if (kind == RequestKind::describe) return "describe";
    return kind == RequestKind::gather ? "gather" : "neighbours";
}

}  // namespace

void bind_shards(nb::module_& m) {
    nb::exception<shards::Contradiction>(m, "Contradiction");
    bind_layout(m);
    bind_shard(m);
    bind_device(m);
    nb::class_<shards::LevelGrower>(m, "LevelGrower", "An algorithm that grows a tree over shards, level by level.")
        .def(
            "__init__",
            [](shards::LevelGrower* self, const grow::GrowOptions& options, const SharedLayout& layout,
               const std::vector<std::pair<std::string, std::int32_t>>& types, std::uint64_t n_rows,
               std::size_t gather_rows, std::size_t fetch_rows, int zoom_bits, std::size_t gather_values) {
                std::vector<shards::ColumnType> columns;
                for (const auto& [kind, n_levels] : types)
                    columns.push_back({kind == "numeric"   ? data::ColumnKind::numeric
                                       : kind == "ordered" ? data::ColumnKind::ordered
                                                           : data::ColumnKind::levels,
                                       n_levels});
                shards::LevelSizes sizes;
                sizes.gather_rows = gather_rows;
                if (zoom_bits < 1 || zoom_bits > 16) throw std::invalid_argument("zoom_bits must be from 1 to 16");
                sizes.ranges = {fetch_rows, zoom_bits};
                sizes.gather_values = gather_values;
                new (self) shards::LevelGrower(options, layout.layout, std::move(columns), n_rows, sizes);
            },
            nb::arg("options"), nb::arg("layout"), nb::arg("types"), nb::arg("n_rows"), nb::arg("gather_rows"),
            nb::arg("fetch_rows"), nb::arg("zoom_bits"), nb::arg("gather_values"))
        .def_prop_ro("done", &shards::LevelGrower::done)
        .def_prop_ro("level", &shards::LevelGrower::level)
        .def_prop_ro("rows_open", &shards::LevelGrower::rows_open)
        .def_prop_ro("asks", [](const shards::LevelGrower& self) { return word_of(self.request_kind()); })
        .def(
            "take",
            [](shards::LevelGrower& self, const Message& answer) {
                interruptible([&](base::Interrupt& interrupt) { self.consume(words_of(answer), interrupt); });
            },
            nb::arg("answer"), "Process the merged answer of all shards to the current round.")
        .def("tree", &shards::LevelGrower::tree, "Return the finished tree. It can be returned only once.");
}

}  // namespace ceiba::bindings
