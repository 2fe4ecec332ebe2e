#include "shards/rounds.hpp"

namespace ceiba::shards {

void Route::write(Words& out) const {
    out.push_back(static_cast<std::uint64_t>(kind));
    if (kind == split::Kind::none) return out.push_back(stays);
    out.insert(out.end(), {column, std::bit_cast<std::uint64_t>(cut), missing_branch, levels.size(), open.size()});
    for (const split::LevelBranch& level : levels)
        out.push_back(static_cast<std::uint64_t>(level.code) << 32 | static_cast<std::uint32_t>(level.branch));
    for (char stays : open) out.push_back(static_cast<std::uint64_t>(stays));
}

Route Route::read(Reader& in) {
    Route route;
    route.kind = static_cast<split::Kind>(in.word());
    if (route.kind == split::Kind::none) {
        route.stays = in.word() != 0;
        return route;
    }
    route.column = in.size();
    route.cut = in.real();
    route.missing_branch = in.size();
    const std::size_t n_levels = in.size(), n_branches = in.size();
    for (std::uint64_t word : in.take(n_levels))
        route.levels.push_back({static_cast<std::int32_t>(word >> 32), static_cast<std::int32_t>(word & 0xFFFFFFFFu)});
    for (std::uint64_t word : in.take(n_branches)) route.open.push_back(word != 0);
    return route;
}

void StretchAsk::write(Words& out) const { out.insert(out.end(), {node, column, low, high}); }

StretchAsk StretchAsk::read(Reader& in) {
    const auto words = in.take(4);
    return {static_cast<std::size_t>(words[0]), static_cast<std::size_t>(words[1]), words[2], words[3]};
}

void write_level(const std::vector<Route>& routes, Words& way) {
    Words level;
    for (const Route& route : routes) route.write(level);
    way.push_back(level.size());
    way.push_back(routes.size());
    put_all(way, level);
}

}  // namespace ceiba::shards
