// Python binding of games whose rules are Python functions on arrays.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/shared_ptr.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "array_game.hpp"
#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {
namespace {

// Holds the interpreter lock during its lifetime. While Python exits, a thread that acquires it is terminated by an
// exception: the thread sleeps instead, as in GilReleased.
class GilAcquired {
  public:
    GilAcquired() {
        try {
            state_ = PyGILState_Ensure();
        } catch (...) {
            while (true) std::this_thread::sleep_for(std::chrono::hours(1));
        }
    }
    ~GilAcquired() { PyGILState_Release(state_); }
    GilAcquired(const GilAcquired&) = delete;
    GilAcquired& operator=(const GilAcquired&) = delete;

  private:
    PyGILState_STATE state_;
};

// A NumPy array with its own copy of the values, so that Python may keep it.
template <class T>
nb::object to_numpy(const std::vector<T>& values, std::initializer_list<size_t> shape) {
    T* copy = new T[values.size()];
    std::copy(values.begin(), values.end(), copy);
    const nb::capsule owner(copy, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return nb::cast(nb::ndarray<nb::numpy, T>(copy, shape, owner));
}

template <class T, int Dimensions>
std::vector<T> from_numpy(nb::handle array) {
    return copied(nb::cast<Array<const T, Dimensions>>(array, false));
}

// Calls advance(stones [n, cells] int8, mover [n] uint8, moves [n] int32), which returns stones, mover, passed [n]
// uint8, legal [n, cells] uint8 and score [n] int32. The function lives until the last batch is gone, in any thread.
ArrayAdvance in_python(nb::callable advance) {
    const std::shared_ptr<PyObject> function(advance.release().ptr(), [](PyObject* object) {
        const GilAcquired acquired;
        Py_DECREF(object);
    });
    return [function](ArrayRows& rows) {
        const GilAcquired acquired;
        const auto n = static_cast<size_t>(rows.n), cells = static_cast<size_t>(rows.cells);
        const nb::tuple after = nb::cast<nb::tuple>(nb::handle(function.get())(
            to_numpy(rows.stones, {n, cells}), to_numpy(rows.mover, {n}), to_numpy(rows.moves, {n})));
        if (after.size() != 5) throw std::invalid_argument("the rules must return five arrays");
        rows.stones = from_numpy<int8_t, 2>(after[0]);
        rows.mover = from_numpy<uint8_t, 1>(after[1]);
        rows.passed = from_numpy<uint8_t, 1>(after[2]);
        rows.legal = from_numpy<uint8_t, 2>(after[3]);
        rows.score = from_numpy<int32_t, 1>(after[4]);
    };
}

}  // namespace

void bind_array_game(nb::module_& m) {
    m.def(
        "array_game",
        [](int size, Array<const int8_t, 1> start, nb::callable advance) {
            if (size < 1 || size > 26) throw std::invalid_argument("boards have sizes from 1 to 26");
            checked(start, {int64_t{size} * size});
            return make_array_game(size, start.data(), in_python(std::move(advance)));
        },
        "size"_a, "start"_a.noconvert(), "advance"_a,
        "A game whose rules are a function that plays one move in each of many positions.");
}

}  // namespace zp
