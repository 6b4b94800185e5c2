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
    // `poll` is called at most every 50 ms, only by the thread that creates this; all work stops once it returns true.
    explicit Interrupt(std::function<bool()> poll) : poll_(std::move(poll)) {}

    // Throws Interrupted if the work must stop; null never does. Cheap; callable from any thread.
    static void check(Interrupt* interrupt) {
        if (interrupt != nullptr) interrupt->check();
    }

    static constexpr std::chrono::milliseconds kInterval{50};

  private:
    void check() {
        if (!stop_.load(std::memory_order_relaxed) && std::this_thread::get_id() == owner_) {
            const auto now = std::chrono::steady_clock::now();
            if (now < next_) return;
            next_ = now + kInterval;
            if (poll_()) stop_ = true;
        }
        if (stop_.load(std::memory_order_relaxed)) throw Interrupted{};
    }

    std::function<bool()> poll_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kInterval;
    std::atomic<bool> stop_ = false;
};

}  // namespace zp
