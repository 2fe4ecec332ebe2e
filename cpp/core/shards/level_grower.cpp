#include "shards/level_grower.hpp"

#include "grow/grow.hpp"

namespace ceiba::shards {

LevelGrower::LevelGrower(const grow::GrowOptions& options, std::shared_ptr<const Layout> layout,
                         std::vector<ColumnType> types, std::uint64_t n_rows, const LevelSizes& sizes)
    : options_(options),
      layout_(std::move(layout)),
      types_(std::move(types)),
      sizes_(sizes),
      stop_(options_, options_.search),
      pool_(options.n_threads),
      limits_(!options.search.monotone.empty() || std::isfinite(options.low) || std::isfinite(options.high)) {
    builders_.emplace_back();
    builders_[0].emplace_back();
    Open root;
    root.context = {options.seed, options.low, options.high,
                    split::path_below(nullptr, -1, types_.size(), options_.search)};
    root.n_rows = n_rows;
    root.gathered = n_rows < sizes.gather_rows;
    root.searched = root.counted = !root.gathered;
    open_.push_back(std::move(root));
    begin_level();
}

std::uint64_t LevelGrower::rows_open() const {
    return std::accumulate(open_.begin(), open_.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const Open& o) { return sum + (o.searched ? o.n_rows : 0); });
}

tree::TreeArrays LevelGrower::tree() {
    tree::TreeArrays out = grow::assemble(builders_, limits_);
    for (std::size_t i = 0; i < out.splits.size(); ++i)
        if (static_cast<split::Kind>(out.splits.kind[i]) == split::Kind::cut)
            out.splits.cut[i] = layout_->column[out.splits.column[i]].real_cut(out.splits.cut[i]);
    grow::Builder& nodes = builders_[0];  // thousands of subtrees are freed in parallel
    pool_.run(nodes.size(), [&](std::size_t i, int) { nodes[i].grown.reset(), nodes[i].node_split.reset(); });
    return out;
}

Words LevelGrower::new_round(RequestKind kind) {
    kind_ = kind;
    Words round{n_levels_};
    put_all(round, path_);
    round.push_back(static_cast<std::uint64_t>(kind));
    return round;
}

void LevelGrower::consume(std::span<const std::uint64_t> answer, base::Interrupt& interrupt) {
    interrupt.poll();
    Reader in(answer);
    const Form form = static_cast<Form>(in.word());
    const Form wanted = kind_ == RequestKind::gather  ? Form::pieces
                        : kind_ == RequestKind::fetch ? Form::runs
                                                      : Form::sums;
    if (form != wanted) throw Contradiction("a reply does not match its request");
    if (phase_ == Phase::describe)
        consume_describe(in);
    else if (phase_ == Phase::gather)
        consume_gather(in, interrupt);
    else if (phase_ == Phase::count)
        consume_count(in);
    else if (phase_ == Phase::refine)
        consume_refine(in);
    else
        consume_neighbours(in);
}

// Calls task(k, node) for the k-th of some open nodes, in parallel: surveys are independent of each other.
template <class Task>
void LevelGrower::for_each(const std::vector<std::size_t>& nodes, Task task) {
    pool_.run(nodes.size(), [&](std::size_t k, int) { task(k, open_[nodes[k]]); });
}

// Calls first(k, node, column) for all columns of some open nodes, then second(node, column) for all of them. Threads
// share the columns of few nodes; if there are many, each takes whole nodes, whose columns stay in its cache.
template <class First, class Second>
void LevelGrower::for_each_column(const std::vector<std::size_t>& nodes, First first, Second second) {
    const std::size_t n_columns = layout_->column.size();
    const bool many = nodes.size() >= 4 * static_cast<std::size_t>(pool_.size());
    const auto run = [&](auto task) {
        pool_.run(nodes.size() * n_columns, [&](std::size_t i, int) { task(i / n_columns, i % n_columns); });
    };
    const auto begin = [&](std::size_t k, std::size_t c) { first(k, open_[nodes[k]], c); };
    const auto end = [&](std::size_t k, std::size_t c) { second(open_[nodes[k]], c); };
    if (!many) {
        run(begin);
        run(end);
        return;
    }
    for_each(nodes, [&](std::size_t k, Open&) {
        for (std::size_t c = 0; c < n_columns; ++c) begin(k, c);
        for (std::size_t c = 0; c < n_columns; ++c) end(k, c);
    });
}

// Begins a round with the `wanted` open nodes; the caller adds the data of each. Returns false if there are none.
template <class Wanted>
bool LevelGrower::query_nodes(Phase phase, RequestKind kind, Wanted wanted) {
    phase_ = phase;
    queried_.clear();
    for (std::size_t i = 0; i < open_.size(); ++i)
        if (wanted(open_[i])) queried_.push_back(i);
    if (queried_.empty()) return false;
    round_ = new_round(kind);
    round_.push_back(queried_.size());
    return true;
}

// --- the phases of a level, in order
void LevelGrower::begin_level() {
    if (n_levels_ > 0 && !layout_->shape.classes()) return query_describe();
    choose_counted();
    query_gather();
}

// The description of nodes with numbers needs another pass over their rows once their means are known.
void LevelGrower::query_describe() {
    query_nodes(Phase::describe, RequestKind::describe, [](const Open& open) { return !open.waits; });
    for (std::size_t i : queried_) {
        round_.push_back(i);
        put_real(round_, layout_->shape.mean(open_[i].total.data()));
    }
}

void LevelGrower::consume_describe(Reader& in) {
    if (in.size() != queried_.size() * any_digits) throw Contradiction("shards described other nodes");
    const auto losses = in.read(queried_.size() * any_digits), ranges = in.read(2 * queried_.size());
    for (std::size_t i = 0; i < queried_.size(); ++i) {
        Open& open = open_[queried_[i]];
        criteria::NodeSummary summary;
        summary.weight = summary.search_weight = layout_->shape.weight(open.total.data()).value();
        summary.pure = ranges[2 * i] == ranges[2 * i + 1];
        summary.value = {summary.pure ? number_of(ranges[2 * i]) : layout_->shape.mean(open.total.data())};
        if (!summary.pure)
            summary.impurity = sum_of(losses.data() + i * any_digits, any_digits, any_unit).value() / summary.weight;
        describe(open, std::move(summary));
    }
    if (n_levels_ == 0) return survey_nodes();
    if (!options_.search.monotone.empty()) hand_down_limits();
    choose_counted();
    query_gather();
}

void LevelGrower::hand_down_limits() {
    grow::Builder& builder = builders_[0];
    for (std::size_t i = 0; i < open_.size(); ++i) {
        if (open_[i].partner == none || open_[i].partner < i) continue;
        Open &first = open_[i], &second = open_[first.partner];
        const split::NodeContext parent = first.context;
        const auto value = [&](const Open& open) -> double& { return builder[open.node].limited; };
        grow::hand_down_limits(options_.search, builder[first.parent].node_split->split, parent,
                               {first.context, value(first)}, {second.context, value(second)});
    }
}

// Of two branches the smaller one is counted. The counts of the other follow by exact subtraction of integers.
void LevelGrower::choose_counted() {
    for (std::size_t i = 0; i < open_.size(); ++i) {
        Open& open = open_[i];
        if (open.partner == none) {
            open.counted = open.searched;
            continue;
        }
        Open& other = open_[open.partner];
        const bool more = open.n_rows > other.n_rows || (open.n_rows == other.n_rows && i < open.partner);
        const Open& many = more ? open : other;
        open.counted = many.searched ? !more : open.searched;
        if (many.searched && more) open.sibling = open.partner;
    }
}

void LevelGrower::query_gather() {
    std::uint64_t values = 0;
    bool full = false;  // nodes that do not fit into this round are gathered in the next
    const auto fits = [&](const Open& open) {
        if (!open.gathered || full) return false;
        const std::uint64_t of_node = open.n_rows * (types_.size() + 1);
        full = values > 0 && values + of_node > sizes_.gather_values;
        values += of_node;
        return !full;
    };
    if (!query_nodes(Phase::gather, RequestKind::gather, fits)) return query_count();
    for (std::size_t i : queried_) round_.push_back(i);
}

void LevelGrower::consume_gather(Reader& in, base::Interrupt& interrupt) {
    // One per thread; the memory is reused.
    std::vector<GatheredNode> of_thread(static_cast<std::size_t>(pool_.size()), GatheredNode(types_, layout_->shape));
    std::vector<std::vector<Reader>> pieces(queried_.size());
    while (!in.done()) {
        in.word();  // the number of the shard
        Reader piece(in.read(in.size()));
        for (std::vector<Reader>& of_node : pieces)
            of_node.emplace_back(piece.read(1 + Reader(piece).size() * of_thread[0].words_of_row()));
    }
    // The largest nodes come first, so that no thread starts one of them at the end.
    std::vector<std::size_t> order(queried_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return open_[queried_[a]].n_rows > open_[queried_[b]].n_rows; });
    std::atomic<bool> stop{false};
    std::vector<grow::Builder> parts(queried_.size());
    pool_.run(queried_.size(), [&](std::size_t place, int thread) {
        const std::size_t k = order[place];
        const Open& open = open_[queried_[k]];
        GatheredNode& node = of_thread[static_cast<std::size_t>(thread)];
        node.clear();
        for (Reader& piece : pieces[k]) node.read(piece);
        if (node.n_rows() != open.n_rows) throw Contradiction("shards have other rows of a node than they counted");
        if (thread == 0) try {
                interrupt.poll();
            } catch (const base::Interrupted&) {
                stop.store(true);
                throw;
            }
        grow::GrowOptions options = options_;
        if (options.max_depth >= 0) options.max_depth -= open.depth;
        options.low = open.context.low;
        options.high = open.context.high;
        options.path = open.context.path;
        options.whole_weight = stop_.whole_weight();
        options.n_threads = 1;
        base::Interrupt inner([&stop] { return stop.load(); });
        if (!best_first()) {
            builders_[0][open.node].grown =
                std::make_unique<tree::TreeArrays>(grow::grow(node.table(), node.target(), options, inner));
            return;
        }
        // The limit of leaves also holds below the node, except for multiway splits, some of which may be skipped.
        if (options.search.multiway) options.max_leaf_nodes = std::numeric_limits<int>::max();
        parts[k] = grow::grow_nodes(node.table(), node.target(), options, inner);
    });
    for (std::size_t k = 0; k < queried_.size(); ++k) {
        Open& open = open_[queried_[k]];
        if (best_first()) splice(builders_[0], open.node, std::move(parts[k]));
        open.gathered = false;
    }
    query_gather();
}

void LevelGrower::query_count() {
    if (!query_nodes(Phase::count, RequestKind::count, [](const Open& open) { return open.counted; })) return choose();
    for (std::size_t i : queried_) round_.push_back(i);
}

void LevelGrower::consume_count(Reader& in) {
    const std::size_t n_words = layout_->n_words();
    if (in.size() != branch_rows_.size() + queried_.size() * n_words)
        throw Contradiction("shards counted other nodes than they were requested");
    const auto rows = in.read(branch_rows_.size());
    if (!std::equal(rows.begin(), rows.end(), branch_rows_.begin()))
        throw Contradiction("shards sent other rows down a branch than they counted before");
    const auto words = in.read(queried_.size() * n_words);
    for_each(queried_, [&](std::size_t k, Open& open) {
        const auto of_node = words.subspan(k * n_words, n_words);
        open.counts = std::make_shared<Words>(of_node.begin(), of_node.end());
    });
    if (n_levels_ == 0) {  // the total of the root follows from any column
        Open& root = open_[0];
        const std::size_t width = layout_->shape.width();
        root.total.assign(width, 0);
        for (std::size_t w = 0; w < layout_->column.at(0).n_cells() * width; ++w)
            root.total[w % width] += (*root.counts)[w];
        if (!layout_->shape.classes()) return query_describe();
        describe(root);
    }
    survey_nodes();
}

void LevelGrower::survey_nodes() {
    surveyed_.clear();
    for (std::size_t i = 0; i < open_.size(); ++i)
        if (open_[i].searched) surveyed_.push_back(i);
    for_each(surveyed_, [&](std::size_t, Open& open) {
        if (open.sibling != none) open.counts = std::move(open.parent_counts);
        open.survey = make_survey(*layout_, options_.search, open.context, sizes_.ranges);
    });
    for_each_column(
        surveyed_, [&](std::size_t, Open& open, std::size_t c) { begin_column(open, c); }, mark_column);
    refine();
}

// Computes the counts that were not sent, and begins the survey of the column.
void LevelGrower::begin_column(Open& open, std::size_t c) const {
    const std::size_t width = layout_->shape.width(), first = layout_->column[c].first_cell * width;
    const std::span<std::uint64_t> cells(open.counts->data() + first, layout_->column[c].n_cells() * width);
    if (open.sibling != none)
        for (std::size_t w = 0; w < cells.size(); ++w) cells[w] -= (*open_[open.sibling].counts)[first + w];
    Words sum(width, 0);  // every column must count all rows of the node
    for (std::size_t w = 0; w < cells.size(); w += width) add_words(sum, cells.subspan(w, width));
    if (!layout_->shape.alike(std::move(sum), open.total))
        throw Contradiction("two columns of a node do not have the same rows");
    open.survey->begin(c, cells);
}

// Sends the queries of nodes whose split is not certain yet. Zooms come first, because they raise the floor and thereby
// avoid fetches; queries that do not fit into memory wait for the next round.
void LevelGrower::refine() {
    phase_ = Phase::refine;
    const double words = static_cast<double>(sizes_.gather_values);
    const double each = std::max(1.0, words / static_cast<double>(std::max<std::size_t>(1, surveyed_.size())));
    struct Queries {
        std::vector<RangeQuery> zoom, fetch;
    };
    std::vector<Queries> of_node(surveyed_.size());
    for_each(surveyed_, [&](std::size_t k, Open& open) {
        open.survey->next_queries(surveyed_[k], each, of_node[k].zoom, of_node[k].fetch);
    });
    const bool zooms = std::any_of(of_node.begin(), of_node.end(), [](const Queries& q) { return !q.zoom.empty(); });
    queried_.clear();
    n_queries_.clear();
    std::vector<std::size_t> rest;
    std::vector<std::vector<RangeQuery>> of_nodes;  // of each node with queries
    std::size_t n = 0;
    for (std::size_t k = 0; k < surveyed_.size(); ++k) {
        if (!of_node[k].zoom.empty() || !of_node[k].fetch.empty()) rest.push_back(surveyed_[k]);
        std::vector<RangeQuery>& queries = zooms ? of_node[k].zoom : of_node[k].fetch;
        if (queries.empty()) continue;
        queried_.push_back(surveyed_[k]);
        n_queries_.push_back(queries.size());
        n += queries.size();
        of_nodes.push_back(std::move(queries));
    }
    surveyed_ = std::move(rest);
    if (surveyed_.empty()) return choose();
    round_ = new_round(zooms ? RequestKind::zoom : RequestKind::fetch);
    if (zooms) round_.push_back(static_cast<std::uint64_t>(sizes_.ranges.zoom_bits));
    round_.push_back(n);
    round_.reserve(round_.size() + n * 4);
    for (const std::vector<RangeQuery>& queries : of_nodes)
        for (const RangeQuery& query : queries) query.write(round_);
}

void LevelGrower::consume_refine(Reader& in) {
    in.word();  // number of words, or width of a cell
    if (kind_ == RequestKind::fetch) in.word();
    const std::size_t width = layout_->shape.width();
    std::vector<std::span<const std::uint64_t>> of_node;  // the words of each, in place
    for (const std::size_t n : n_queries_) {
        if (kind_ == RequestKind::zoom) {
            of_node.push_back(in.read(n * sizes_.ranges.zoom_parts() * width));
            continue;
        }
        Reader ahead = in;
        std::size_t words = n;
        for (std::size_t q = 0; q < n; ++q) {
            const std::size_t runs = ahead.size() * (width + 1);
            ahead.read(runs);
            words += runs;
        }
        of_node.push_back(in.read(words));
    }
    if (kind_ == RequestKind::zoom)
        for_each_column(
            queried_, [&](std::size_t k, Open& open, std::size_t c) { open.survey->consume_zoom(c, of_node[k]); },
            mark_column);
    else
        for_each(queried_, [&](std::size_t k, Open& open) {
            Reader runs(of_node[k]);
            open.survey->consume_fetch(runs);
            for (std::size_t c = 0; c < layout_->column.size(); ++c) open.survey->mark(c);
        });
    refine();
}

void LevelGrower::choose() {
    std::vector<std::size_t> nodes;
    for (std::size_t i = 0; i < open_.size(); ++i)
        if (open_[i].survey) nodes.push_back(i);
    for_each_column(
        nodes, [](std::size_t, Open& open, std::size_t c) { open.survey->examine(c); }, [](Open&, std::size_t) {});
    for_each(nodes, [&](std::size_t, Open& open) {
        open.best = open.survey->decide();
        open.survey.reset();
        if (open.best.split.found() && !stop_.gains_enough(open.best.split.gain.value())) open.best = {};
    });
    query_neighbours();
}

void LevelGrower::query_neighbours() {
    if (!query_nodes(Phase::neighbours, RequestKind::neighbours, [](const Open& open) { return open.best.between; }))
        return end_level();
    for (std::size_t i : queried_)
        for (RangeQuery query : {open_[i].best.below, open_[i].best.above}) {
            query.node = i;
            query.write(round_);
        }
}

void LevelGrower::consume_neighbours(Reader& in) {
    in.word();
    for (std::size_t i : queried_) {
        const auto keys = in.read(2);
        SurveyedSplit& best = open_[i].best;
        if (keys[0] < best.below.low || keys[0] > best.below.high || keys[1] < best.above.low ||
            keys[1] > best.above.high)
            throw Contradiction("shards have no values where they counted some");
        best.split.cut = split::cut_between(number_of(keys[0]), number_of(keys[1]), false);
        best.between = false;
    }
    end_level();
}

void LevelGrower::end_level() {
    std::vector<Open> next;
    next.reserve(2 * open_.size());
    branch_rows_.clear();
    const std::vector<char> chosen = best_first() ? chosen_best_first() : std::vector<char>{};
    std::vector<Route> routes;
    bool divided = false;
    for (Open& open : open_) {
        const bool has_split = open.best.split.found();
        if (has_split && best_first() && !chosen[open.node]) {
            routes.emplace_back().stays = true;
            next.push_back(waiting(std::move(open)));
            continue;
        }
        if (has_split) divide(open, next);
        divided = divided || has_split;
        routes.push_back(std::move(open.route));
    }
    if (next.empty() || !divided) {
        if (best_first()) keep_splits(builders_[0], chosen);
        phase_ = Phase::done;
        open_.clear();
        return;
    }
    write_level(routes, path_);
    ++n_levels_;
    pool_.run(open_.size(), [&](std::size_t i, int) { open_[i].counts.reset(); });  // they use much memory
    open_ = std::move(next);
    begin_level();
}

std::vector<char> LevelGrower::chosen_best_first() const {
    FoundSplits splits;
    for (const Open& open : open_)
        if (open.best.split.found()) splits.emplace(open.node, &open.best.split);
    return split_best_first(builders_[0], splits, options_.max_leaf_nodes);
}

LevelGrower::Open LevelGrower::waiting(Open open) {
    open.waits = true;
    open.searched = open.counted = false;
    open.partner = open.sibling = none;
    open.parent_counts.reset();
    open.route = {};
    return open;
}

// --- nodes
void LevelGrower::describe(Open& open) {
    const CellShape& shape = layout_->shape;
    std::vector<double> weights;
    for (std::size_t k = 0; k < shape.n_classes; ++k)
        weights.push_back(shape.class_weight(open.total.data(), k).value());
    describe(open, criteria::summarize_classes(std::move(weights), shape.weight(open.total.data()).value(),
                                               options_.search.criterion, options_.search.class_scale));
}

// Stores the summary of the node, and decides whether it is gathered, searched, or neither.
void LevelGrower::describe(Open& open, criteria::NodeSummary summary) {
    if (open.depth == 0) stop_.begin(summary, layout_->shape.classes());
    grow::NodeRecord& node = builders_[0][open.node];
    grow::describe(node, summary, open.n_rows, limits_, open.context);
    const bool splittable = stop_.splittable(summary, open.n_rows, open.depth);
    node.value = std::move(summary.value);
    open.gathered = splittable && open.n_rows < sizes_.gather_rows;
    open.searched = splittable && !open.gathered;
}

void LevelGrower::divide(Open& open, std::vector<Open>& next) {
    SurveyedSplit& best = open.best;
    const split::Candidate& split = best.split;
    const std::size_t n_branches = best.branches.size();
    const auto rows_of = [this](const Words& cell) { return layout_->shape.rows(cell.data()); };
    auto node_split = std::make_unique<grow::NodeSplit>();
    node_split->default_branch = split.missing_branch;
    if (split.learned_missing) {
        if (split.kind != split::Kind::presence)
            node_split->sent_default = static_cast<std::int64_t>(best.n_without_value);
    } else {
        // As in Engine::place_missing: the heavier branch. If no value was missing, a tie goes to the last branch.
        split::BranchLoad load;
        for (const Words& branch : best.branches) load.weight.push_back(layout_->shape.weight(branch.data()).value());
        const bool nothing_learned = options_.search.missing == split::Missing::learn && rows_of(best.missing) == 0;
        node_split->default_branch = split::heaviest(load, nothing_learned ? split::Tie::last : split::Tie::first);
        node_split->sent_default = static_cast<std::int64_t>(rows_of(best.missing));
        add_words(best.branches[node_split->default_branch], best.missing);
    }
    open.route.kind = split.kind;
    open.route.column = static_cast<std::size_t>(split.column);
    open.route.cut = split.cut;
    open.route.missing_branch = static_cast<std::size_t>(node_split->default_branch);
    open.route.levels = split.levels;

    grow::Builder& builder = builders_[0];
    const auto first = static_cast<std::int32_t>(builder.size());
    builder.resize(builder.size() + n_branches);
    std::vector<Open> branches(n_branches);
    const auto path = split::path_below(open.context.path, split.column, types_.size(), options_.search);
    for (std::size_t b = 0; b < n_branches; ++b) {
        Open& branch = branches[b];
        branch.node = first + static_cast<std::int32_t>(b);
        branch.parent = open.node;
        branch.depth = open.depth + 1;
        branch.context = open.context;
        branch.context.path = path;
        branch.n_rows = rows_of(best.branches[b]);
        branch.total = std::move(best.branches[b]);
        branch_rows_.push_back(branch.n_rows);
        if (layout_->shape.classes()) describe(branch);
    }
    if (!options_.search.monotone.empty() && n_branches == 2 && layout_->shape.classes()) {
        const auto limited = [&](std::size_t b) -> grow::LimitedBranch {
            return {branches[b].context, builder[branches[b].node].limited};
        };
        grow::hand_down_limits(options_.search, split, open.context, limited(0), limited(1));
    }
    node_split->split = std::move(best.split);
    grow::NodeRecord& node = builder[open.node];
    node.first_child = first;
    node.n_children = static_cast<std::int32_t>(n_branches);
    node.node_split = std::move(node_split);
    open_branches(open, std::move(branches), next);
}

// Drops branches that are already finished. For numeric targets, this is not known before the next round.
void LevelGrower::open_branches(Open& open, std::vector<Open> branches, std::vector<Open>& next) {
    const auto continues = [&](std::size_t b) {
        return !layout_->shape.classes() || branches[b].searched || branches[b].gathered;
    };
    std::vector<std::size_t> place;
    const bool two = branches.size() == 2;
    std::vector<char> stays;
    for (std::size_t b = 0; b < branches.size(); ++b)  // the sibling of a searched branch may have to be counted
        stays.push_back(continues(b) || (two && branches[1 - b].searched));
    for (std::size_t b = 0; b < branches.size(); ++b) {
        open.route.open.push_back(stays[b]);
        if (!stays[b]) continue;
        place.push_back(next.size());
        next.push_back(std::move(branches[b]));
    }
    if (!two || place.size() != 2) return;
    next[place[0]].partner = place[1];
    next[place[1]].partner = place[0];
    next[place[0]].parent_counts = next[place[1]].parent_counts = std::move(open.counts);
}

}  // namespace ceiba::shards
