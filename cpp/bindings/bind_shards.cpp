// Tables in shards: messages are arrays of uint64, which pickle and travel as they are.
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

// A shard and the arrays that it looks at.
struct OwningShard {
    OwningShard(const data::Table& columns, shards::ShardTarget rows, std::uint64_t number)
        : table(columns), target(rows), shard(columns, rows, number) {}

    data::Table table;
    shards::ShardTarget target;
    std::vector<nb::object> owners;
    shards::Shard shard;
};

void bind_layout(nb::module_& m) {
    nb::class_<SharedLayout>(m, "ShardLayout", "What all shards of a table agree on: bins, and what is counted.")
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
            "For a target of numbers: their range, the bits that they use (see bit_range), the rows of the table.")
        .def(
            "weigh",
            [](SharedLayout& self, std::pair<int, int> bits) { self.layout->shape.weigh(bits.first, bits.second); },
            nb::arg("bits"), "Have rows weighted; the bits of the weights (see bit_range). Before the columns.")
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
                    throw std::invalid_argument("a column has more edges than bins, or other ranges");
                self.layout->add(std::move(column));
            },
            nb::arg("edge"), nb::arg("least"), nb::arg("most"),
            "Add a column of numbers: its edges, and the smallest and largest value in each bin of the whole table.")
        .def(
            "add_levels",
            [](SharedLayout& self, std::size_t n_levels) {
                shards::ColumnLayout column;
                column.n_levels = n_levels;
                self.layout->add(std::move(column));
            },
            nb::arg("n_levels"), "Add a column of levels.")
        .def(
            "add_coarse",
            [](SharedLayout& self, const Array1<double>& edge) {
                shards::ColumnLayout column;
                column.edge = to_vector(edge);
                if (column.edge.size() >= split::most_bins) throw std::invalid_argument("a column has too many edges");
                for (std::size_t b = 0; b < column.n_bins(); ++b) column.least.push_back(static_cast<double>(b));
                column.most = column.least;
                column.coarse = true;
                self.layout->add(std::move(column));
            },
            nb::arg("edge"), "Add a column of numbers that is cut at these edges only.")
        .def_prop_ro(
            "n_words", [](const SharedLayout& self) { return self.layout->n_words(); },
            "Words that the counts of one node take.");
    m.def(
        "bit_range",
        [](const Array1<double>& values) {
            base::BitRange range;
            for (std::size_t i = 0; i < values.shape(0); ++i) range.include(values.data()[i]);
            return std::pair(range.empty() ? 0 : range.lowest, range.empty() ? 0 : range.highest);
        },
        nb::arg("values"), "Bits of numbers: all are multiples of 2^lowest and below 2^highest; (lowest, highest).");
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
        "The exact sum of the values of each group, as digits: those of several parts of a table may be added.");
    m.def(
        "digit_sums",
        [](const Message& digits) {
            std::vector<double> sums;
            for (std::size_t at = 0; at + shards::any_digits <= digits.shape(0); at += shards::any_digits)
                sums.push_back(shards::sum_of(digits.data() + at, shards::any_digits, shards::any_unit).value());
            return to_numpy(std::move(sums));
        },
        nb::arg("digits"), "Sums as numbers, rounded once.");
    m.def(
        "place_edges",
        [](const Array1<double>& values, int max_bins, bool single, std::optional<Array1<double>> weights) {
            if (weights && weights->shape(0) != values.shape(0))
                throw std::invalid_argument("there are other weights than values");
            std::vector<double> edges;
            {
                const nb::gil_scoped_release no_gil;
                const std::vector<double> weight = weights ? to_vector(*weights) : std::vector<double>{};
                edges = split::edges_of(to_vector(values), weight, max_bins, single);
            }
            return to_numpy(std::move(edges));
        },
        nb::arg("values"), nb::arg("max_bins"), nb::arg("single"), nb::arg("weights").none() = nb::none(),
        "Edges of at most max_bins bins that hold about equally many of these values, or about equal weight.");
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
        nb::arg("columns"), nb::arg("max_bins"), nb::arg("single"), "The edges of several columns, in parallel.");
    m.def(
        "approximate_sample",
        [](std::size_t n_rows) {
            const std::vector<std::size_t> rows = split::approximate_sample(n_rows);
            return to_numpy(std::vector<std::int64_t>(rows.begin(), rows.end()));
        },
        nb::arg("n_rows"), "Of so many rows, those by which the edges of max_bins are placed.");
    m.def(
        "bin_rows",
        [](const Columns& columns, const std::vector<std::vector<double>>& edges, Room<std::uint8_t, 2> bytes) {
            if (edges.size() != columns.table.columns.size() || bytes.shape(0) != columns.table.n_rows)
                throw std::invalid_argument("edges or room do not fit the table");
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
        "Write the bin of every value; the smallest and the largest value in each bin, per column.");
}

void bind_shard(nb::module_& m) {
    nb::class_<OwningShard>(m, "Shard", "Some rows of a table, which answer rounds.")
        .def(
            "__init__",
            [](OwningShard* self, nb::object columns, std::optional<Array1<std::int32_t>> labels,
               std::optional<Array1<double>> numbers, std::optional<Array1<double>> weights, std::uint64_t number) {
                const data::Table& table = nb::cast<const Columns&>(columns).table;
                const std::size_t n_target = labels ? labels->shape(0) : numbers ? numbers->shape(0) : 0;
                if (n_target != table.n_rows || (weights && weights->shape(0) != table.n_rows))
                    throw std::invalid_argument("the arrays of a shard do not fit each other");
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
                    throw std::invalid_argument("the arrays of a tree do not fit its shard");
                self.owners.insert(self.owners.end(), {nb::cast(bytes), nb::cast(order)});
                self.shard.add_tree(tree, bytes.data(), {order.data(), order.shape(0)}, layout.layout);
            },
            nb::arg("tree"), nb::arg("bytes"), nb::arg("order"), nb::arg("layout"),
            "Add a tree: the bins of all rows, room with the rows of the tree in it, and the layout of the bins.")
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
            nb::arg("rounds"), "Answer the rounds of some trees.");
    m.def(
        "join_rounds",
        [](const std::vector<std::pair<std::uint64_t, shards::LevelGrower*>>& growers) {
            std::vector<shards::TreeRound> all;
            for (const auto& [tree, grower] : growers) all.push_back({tree, grower->round()});
            return to_message(shards::join_rounds(all));
        },
        nb::arg("growers"), "The rounds of some trees, by their numbers, as one message.");
    m.def(
        "trees_of",
        [](const Message& rounds) {
            std::vector<std::uint64_t> trees;
            for (const shards::TreeRound& round : shards::split_rounds(words_of(rounds))) trees.push_back(round.tree);
            return trees;
        },
        nb::arg("rounds"), "The trees that a message is about.");
    m.def(
        "split_answers",
        [](const Message& answers) {
            nb::list out;
            for (const auto words : shards::split_answers(words_of(answers)))
                out.append(nb::ndarray<nb::numpy, const std::uint64_t, nb::ndim<1>>(words.data(), {words.size()},
                                                                                    nb::cast(answers)));
            return out;
        },
        nb::arg("answers"), "The answer to the round of each tree, without a copy.");
    m.def(
        "holds_rows", [](const Message& answers) { return shards::holds_rows(words_of(answers)); }, nb::arg("answers"),
        "Whether answers hold gathered rows.");
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
        nb::arg("a"), nb::arg("b"), "Two answers to the same rounds as one.");
}

const char* word_of(shards::Ask ask) {
    using shards::Ask;
    if (ask == Ask::count) return "count";
    if (ask == Ask::zoom) return "zoom";
    if (ask == Ask::fetch) return "fetch";
    if (ask == Ask::describe) return "describe";
    return ask == Ask::gather ? "gather" : "neighbours";
}

}  // namespace

void bind_shards(nb::module_& m) {
    nb::exception<shards::Contradiction>(m, "Contradiction");
    bind_layout(m);
    bind_shard(m);
    bind_device(m);
    nb::class_<shards::LevelGrower>(m, "LevelGrower", "Grows a tree over shards, level by level.")
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
        .def_prop_ro("asks", [](const shards::LevelGrower& self) { return word_of(self.asks()); })
        .def(
            "take",
            [](shards::LevelGrower& self, const Message& answer) {
                interruptible([&](base::Interrupt& interrupt) { self.consume(words_of(answer), interrupt); });
            },
            nb::arg("answer"), "Take the merged answer of all shards to the round.")
        .def("tree", &shards::LevelGrower::tree, "The finished tree, once.");
}

}  // namespace ceiba::bindings
