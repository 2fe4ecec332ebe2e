#include "shards/device/device.hpp"

namespace ceiba::shards {

DeviceBuffer::~DeviceBuffer() {
    if (size_ > 0) device_.release(address_);
}

void DeviceBuffer::reserve(std::size_t n_bytes) {
    if (n_bytes <= size_) return;
    if (size_ > 0) device_.release(std::exchange(address_, 0)), size_ = 0;
    const std::size_t room = n_bytes < (1 << 24) ? n_bytes + n_bytes / 4 + 256 : n_bytes;
    address_ = device_.allocate(room);
    size_ = room;
}

}  // namespace ceiba::shards
