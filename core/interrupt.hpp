// Stops long computations from outside: they check regularly whether to continue.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

namespace zp {

// Thrown by an interrupted computation.
struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

class Interrupt {
  public:
    // `poll` is called at most once per interval, only by the thread that creates this; all work stops once it returns
    // true.
    explicit Interrupt(std::function<bool()> poll, std::chrono::milliseconds interval = kInterval)
        : poll_(std::move(poll)), interval_(interval) {}

    // Throws Interrupted if the work must stop; null never does. Cheap; callable from any thread.
    static void check(Interrupt* interrupt) {
        if (interrupt != nullptr) interrupt->check();
    }

    // How long a thread may wait for others without checking.
    static std::chrono::milliseconds interval(const Interrupt* interrupt) {
        return interrupt == nullptr ? kInterval : interrupt->interval_;
    }

  private:
    void check() {
        if (!stop_.load(std::memory_order_relaxed) && std::this_thread::get_id() == owner_) {
            const auto now = std::chrono::steady_clock::now();
            if (now < next_) return;
            next_ = now + interval_;
            if (poll_()) stop_ = true;
        }
        if (stop_.load(std::memory_order_relaxed)) throw Interrupted{};
    }

    static constexpr std::chrono::milliseconds kInterval{50};

    std::function<bool()> poll_;
    std::chrono::milliseconds interval_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + interval_;
    std::atomic<bool> stop_ = false;
};

}  // namespace zp
