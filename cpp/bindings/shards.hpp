// Common part of the bindings of shards: messages are arrays of uint64.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "bindings.hpp"
#include "shards/cells.hpp"
#include "shards/protocol.hpp"

namespace ceiba::bindings {

using Message = Array1<std::uint64_t>;
template <class T, int Dim>
using Room = nb::ndarray<T, nb::ndim<Dim>, nb::c_contig, nb::device::cpu>;

using NewMessage = nb::ndarray<nb::numpy, std::uint64_t, nb::ndim<1>>;

inline NewMessage to_message(shards::Words&& words) { return nb::cast<NewMessage>(to_numpy(std::move(words))); }

inline std::span<const std::uint64_t> words_of(const Message& message) { return {message.data(), message.shape(0)}; }

struct SharedLayout {
    std::shared_ptr<shards::Layout> layout = std::make_shared<shards::Layout>();
};

void bind_device(nb::module_& m);

}  // namespace ceiba::bindings
