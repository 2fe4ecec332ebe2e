// The interface of a GPU for shards: memory, copies and launches.
#pragma once

#include "shards/device/params.hpp"
#include "shards/protocol.hpp"

namespace ceiba::shards {

// The operations of a GPU that a shard needs, implemented by CuPy's driver or the emulator of the tests. Addresses are
// those of its memory; operations run in the order of the calls.
class Device {
public:
    virtual ~Device() = default;

    virtual std::uint64_t allocate(std::size_t n_bytes) = 0;
    virtual void release(std::uint64_t address) = 0;
    virtual void send(std::uint64_t to, const void* from, std::size_t n_bytes) = 0;
    virtual void fetch(void* to, std::uint64_t from, std::size_t n_bytes) = 0;  // returns after the copy
    virtual void fill(std::uint64_t to, int byte, std::size_t n_bytes) = 0;
    virtual void launch(const char* kernel, std::size_t grid, std::size_t rows, std::size_t threads,
                        std::size_t shared_bytes, const void* params, std::size_t n_bytes) = 0;
    // Host memory for an answer, possibly pinned; valid until the next call.
    virtual std::uint64_t* answer_words(std::size_t n) = 0;

    std::size_t n_processors = 1, shared_bytes = 48 << 10;  // shared_bytes: maximum per block
};

// Device memory that grows and is reused.
class DeviceBuffer {
public:
    explicit DeviceBuffer(Device& device) : device_(device) {}
    ~DeviceBuffer() {
        if (size_ > 0) device_.release(address_);
    }
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    template <class T>
    T* get(std::size_t n) {
        const std::size_t n_bytes = n * sizeof(T);
        if (n_bytes > size_) {
            if (size_ > 0) device_.release(std::exchange(address_, 0)), size_ = 0;
            const std::size_t room = n_bytes < (1 << 24) ? n_bytes + n_bytes / 4 + 256 : n_bytes;
            address_ = device_.allocate(room);
            size_ = room;
        }
        return reinterpret_cast<T*>(address_);
    }

private:
    Device& device_;
    std::uint64_t address_ = 0;
    std::size_t size_ = 0;
};

template <class P>
void launch(Device& device, const char* kernel, std::size_t grid, std::size_t threads, std::size_t shared_bytes,
            const P& params, std::size_t rows = 1) {
    if (grid > 0) device.launch(kernel, grid, rows, threads, shared_bytes, &params, sizeof(P));
}

template <class T>
T* at(std::uint64_t address) {
    return reinterpret_cast<T*>(address);
}
template <class T>
std::uint64_t address_of(T* p) {
    return reinterpret_cast<std::uint64_t>(p);
}

inline device::u32 narrow(std::size_t x) { return static_cast<device::u32>(x); }

// An array for the device, and the pointer that receives its address.
template <class T>
struct Table {
    const std::vector<T>& values;
    const T*& to;
};
template <class T>
Table(const std::vector<T>&, const T*&) -> Table<T>;

// Sends several arrays in one transfer, each aligned.
template <class... T>
void send_tables(Device& device, DeviceBuffer& buffer, const Table<T>&... tables) {
    std::vector<char> bytes;
    const auto add = [&bytes]<class V>(const std::vector<V>& values) {
        const std::size_t place = (bytes.size() + 15) / 16 * 16;
        bytes.resize(place + values.size() * sizeof(V));
        if (!values.empty()) std::memcpy(bytes.data() + place, values.data(), values.size() * sizeof(V));
        return place;
    };
    const std::array places{add(tables.values)...};
    char* const p = buffer.get<char>(bytes.size() + 1);
    if (!bytes.empty()) device.send(address_of(p), bytes.data(), bytes.size());
    std::size_t k = 0;
    ((tables.to = reinterpret_cast<const T*>(p + places[k++])), ...);
}

}  // namespace ceiba::shards
