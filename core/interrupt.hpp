// A way to stop long work from outside: whoever works asks now and then whether to go on.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <thread>
#include <utility>

namespace zp {

// Thrown by work that was stopped.
struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

class Interrupt {
  public:
    // `asked` is called by the thread that makes this, at most every 50 ms or so; once it says yes all work stops.
    explicit Interrupt(std::function<bool()> asked) : asked_(std::move(asked)) {}

    // Throws if the work is to stop; null never stops it. Any thread may call it, and often.
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
            if (asked_()) stop_ = true;
        }
        if (stop_.load(std::memory_order_relaxed)) throw Interrupted{};
    }

    std::function<bool()> asked_;
    std::thread::id owner_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + kInterval;
    std::atomic<bool> stop_ = false;
};

}  // namespace zp
