// What the files of bindings share: arrays as Python hands them over, the check of their shapes, and numbers
// that stand for planes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "batch.hpp"

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

// Without the interpreter lock as long as it lives. While Python exits a thread that wants the lock back is ended by
// force (before 3.14), which would abort the process on its way through this destructor: it sleeps to the end instead.
class Unlocked {
  public:
    Unlocked() : state_(PyEval_SaveThread()) {}
    ~Unlocked() {
        try {
            PyEval_RestoreThread(state_);
        } catch (...) {
            while (true) std::this_thread::sleep_for(std::chrono::hours(1));
        }
    }
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

  private:
    PyThreadState* state_;
};

// Numbers of planes as planes.
inline std::vector<Plane> checked_planes(const std::vector<int>& kinds) {
    std::vector<Plane> planes;
    for (const int kind : kinds) {
        if (kind < 0 || kind > static_cast<int>(Plane::kOnes)) throw std::invalid_argument("no such plane");
        planes.push_back(static_cast<Plane>(kind));
    }
    return planes;
}

// The bindings that stand in files of their own.
void bind_examples(nanobind::module_& m);
void bind_lines(nanobind::module_& m);
void bind_mdrnn(nanobind::module_& m);
void bind_normal(nanobind::module_& m);
void bind_spatial(nanobind::module_& m);

}  // namespace zp
