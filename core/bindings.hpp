// Shared by all bindings: array types, checks of shapes and indices, and interruptible calls.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "batch.hpp"
#include "interrupt.hpp"

namespace zp {

template <class T, int Dimensions>
using Array = nanobind::ndarray<T, nanobind::ndim<Dimensions>, nanobind::c_contig, nanobind::device::cpu>;

template <class A>
auto checked(A& array, std::initializer_list<int64_t> shape) {
    size_t axis = 0;
    for (const int64_t length : shape) {
        if (static_cast<int64_t>(array.shape(axis)) != length) {
            throw std::invalid_argument("axis " + std::to_string(axis) + " of an array is " +
                                        std::to_string(array.shape(axis)) + " long instead of " +
                                        std::to_string(length));
        }
        ++axis;
    }
    return array.data();
}

// A copy of an array. Indices are copied before they are checked, because another thread may change the caller's array
// between check and use.
template <class A>
auto copied(const A& array) {
    return std::vector<std::remove_cvref_t<decltype(*array.data())>>(array.data(), array.data() + array.size());
}

// A copy of `length` numbers that are all from 0 to limit - 1.
template <class T>
std::vector<T> copied_below(Array<const T, 1>& array, int64_t length, int64_t limit, const char* what) {
    checked(array, {length});
    std::vector<T> numbers = copied(array);
    for (const T number : numbers) {
        if (number < 0 || number >= limit) throw nanobind::index_error(what);
    }
    return numbers;
}

inline std::vector<int32_t> copied_members(Array<const int32_t, 1>& members, int64_t positions, int64_t population) {
    return copied_below(members, positions, population, "a member of the population is out of range");
}

// Releases the interpreter lock during its lifetime. While Python exits (before 3.14), a thread that acquires the lock
// is terminated by an exception, which would abort the process in this destructor: the thread sleeps instead.
class GilReleased {
  public:
    GilReleased() : state_(PyEval_SaveThread()) {}
    ~GilReleased() {
        try {
            PyEval_RestoreThread(state_);
        } catch (...) {
            while (true) std::this_thread::sleep_for(std::chrono::hours(1));
        }
    }
    GilReleased(const GilReleased&) = delete;
    GilReleased& operator=(const GilReleased&) = delete;

  private:
    PyThreadState* state_;
};

// Cached per thread until the process forks.
inline bool in_main_thread() {
    thread_local pid_t process = 0;
    thread_local bool main = false;
    if (process != getpid()) {
        const nanobind::object thread = nanobind::module_::import_("threading").attr("main_thread")();
        main = nanobind::cast<unsigned long>(thread.attr("ident")) == PyThread_get_thread_ident();
        process = getpid();
    }
    return main;
}

// Whether another thread has cancelled the work of this one; null if none can.
using Cancelled = std::shared_ptr<const std::atomic<bool>>;
Cancelled cancelled_in_this_thread();

struct WorkCancelled : std::exception {
    const char* what() const noexcept override { return "cancelled"; }
};

// Runs work(Interrupt*) without the interpreter lock. In Python's main thread a signal whose handler raises, such as
// Ctrl-C, stops it; in other threads a cancellation, which needs no lock: a thread that asked for it while Python exits
// would abort the process. The interrupt is null where nothing can stop the work.
template <class F>
void run_interruptible(F&& work) {
    std::optional<Interrupt> interrupt;
    const Cancelled cancelled = cancelled_in_this_thread();
    if (in_main_thread()) {
        interrupt.emplace([] {
            const nanobind::gil_scoped_acquire acquired;
            return PyErr_CheckSignals() != 0;
        });
    } else if (cancelled) {
        if (*cancelled) throw WorkCancelled{};
        interrupt.emplace([&] { return cancelled->load(); }, std::chrono::milliseconds(10));
    }
    try {
        const GilReleased released;
        work(interrupt ? &*interrupt : nullptr);
    } catch (const Interrupted&) {
    }
    if (PyErr_Occurred()) throw nanobind::python_error();  // the signal may have arrived as the work ended
    if (cancelled && *cancelled) throw WorkCancelled{};
}

// Plane numbers as planes.
inline std::vector<Plane> checked_planes(const std::vector<int>& kinds) {
    std::vector<Plane> planes;
    for (const int kind : kinds) {
        if (kind < 0 || kind > static_cast<int>(Plane::kOnes)) throw std::invalid_argument("no such plane");
        planes.push_back(static_cast<Plane>(kind));
    }
    return planes;
}

// Bindings in other files.
void bind_array_game(nanobind::module_& m);
void bind_cancellation(nanobind::module_& m);
void bind_conv(nanobind::module_& m);
void bind_examples(nanobind::module_& m);
void bind_forcing(nanobind::module_& m);
void bind_lines(nanobind::module_& m);
void bind_mdrnn(nanobind::module_& m);
void bind_normal(nanobind::module_& m);
void bind_spatial(nanobind::module_& m);

}  // namespace zp
