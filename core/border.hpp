// What the files of bindings share: arrays as Python hands them over, and the check of their shapes.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>

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

// The bindings that stand in files of their own.
void bind_examples(nanobind::module_& m);
void bind_lines(nanobind::module_& m);

}  // namespace zp
