// Python bindings of cancellation: a thread may be told by another to stop its work in the core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <atomic>
#include <memory>
#include <optional>

#include "bindings.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace zp {
namespace {

thread_local Cancelled of_this_thread;

// Set by one thread, watched by others.
class Cancellation {
  public:
    void cancel() { *flag_ = true; }
    bool cancelled() const { return *flag_; }
    Cancelled watch() const { return flag_; }

  private:
    std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace

Cancelled cancelled_in_this_thread() { return of_this_thread; }

void bind_cancellation(nb::module_& m) {
    nb::exception<WorkCancelled>(m, "Cancelled");
    nb::class_<Cancellation>(m, "Cancellation")
        .def(nb::init<>())
        .def("cancel", &Cancellation::cancel)
        .def_prop_ro("cancelled", &Cancellation::cancelled);
    m.def(
        "obey", [](const std::optional<Cancellation>& by) { of_this_thread = by ? by->watch() : nullptr; },
        "by"_a.none(), "From now on, long work of this thread raises Cancelled soon after `by` was cancelled.");
}

}  // namespace zp
