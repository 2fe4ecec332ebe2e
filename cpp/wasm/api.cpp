// The C functions that a page calls. None of them throws: on failure a function returns -1 (a pointer: null), and
// ceiba_error() returns the reason. Columns must outlive the session; they are allocated by ceiba_alloc.
#include "session.hpp"

#if defined(__EMSCRIPTEN__)
#include <emscripten.h>
#define CEIBA_API extern "C" EMSCRIPTEN_KEEPALIVE
#else
#define CEIBA_API extern "C" __attribute__((visibility("default")))
#endif

namespace {

using ceiba::wasm::Session;

std::string error;

template <class Call>
int guarded(Call call) {
    try {
        error.clear();
        if constexpr (std::is_void_v<decltype(call())>)
            return call(), 0;
        else
            return call();
    } catch (const std::bad_alloc&) {
        error = "memory";
    } catch (const std::exception& failure) {
        error = failure.what();
    } catch (...) {
        error = "unknown error";
    }
    return -1;
}

}  // namespace

CEIBA_API void* ceiba_alloc(std::size_t n_bytes) { return std::malloc(n_bytes); }
CEIBA_API void ceiba_free(void* memory) { std::free(memory); }
CEIBA_API const char* ceiba_error() { return error.c_str(); }

CEIBA_API Session* ceiba_new(std::size_t n_rows) { return new (std::nothrow) Session(n_rows); }
CEIBA_API void ceiba_delete(Session* s) { delete s; }
CEIBA_API int ceiba_add_numbers(Session* s, const double* values) {
    return guarded([&] { s->add_numbers(values); });
}
CEIBA_API int ceiba_add_levels(Session* s, const std::int32_t* codes, std::int32_t n_levels) {
    return guarded([&] { s->add_levels(codes, n_levels); });
}
CEIBA_API int ceiba_set_classes(Session* s, const std::int32_t* labels, std::int32_t n_classes) {
    return guarded([&] { s->set_classes(labels, n_classes); });
}
CEIBA_API int ceiba_set_numbers(Session* s, const double* numbers) {
    return guarded([&] { s->set_numbers(numbers); });
}
CEIBA_API int ceiba_set_option(Session* s, const char* name, double value) {
    return guarded([&] { s->set_option(name, value); });
}
CEIBA_API int ceiba_set_criterion(Session* s, const char* name) {
    return guarded([&] { s->set_criterion(name); });
}
CEIBA_API int ceiba_grow(Session* s) {
    return guarded([&] { return s->grow(); });
}
CEIBA_API int ceiba_prune(Session* s, double alpha) {
    return guarded([&] { return s->prune(alpha); });
}
CEIBA_API int ceiba_deal_folds(Session* s, std::uint32_t n_folds, double seed) {
    return guarded([&] { return s->deal_folds(n_folds, static_cast<std::uint64_t>(seed)); });
}
CEIBA_API int ceiba_validate(Session* s, std::uint32_t fold) {
    return guarded([&] { s->validate(fold); });
}
CEIBA_API int ceiba_apply(Session* s) {
    return guarded([&] { s->ends(); });
}
CEIBA_API int ceiba_compare(Session* s, std::int32_t node, int max_competitors) {
    return guarded([&] { return s->compare(node, max_competitors); });
}
CEIBA_API int ceiba_draw_curve(Session* s, std::int32_t node, std::int32_t column) {
    return guarded([&] { s->draw_curve(node, column); });
}
// Returns an array by its name: its address, length and type (b, i, q, d).
CEIBA_API const void* ceiba_array(Session* s, const char* name, std::int32_t* length_and_type) {
    const void* data = nullptr;
    guarded([&] {
        const ceiba::wasm::View view = s->view(name);
        length_and_type[0] = static_cast<std::int32_t>(view.size), length_and_type[1] = view.type;
        data = view.data;
    });
    return data;
}
