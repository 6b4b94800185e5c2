// Threads over the positions of a batch. Every block of work writes only its own results, so the outcome depends
// neither on the number of threads nor, if positions are independent, on how the work is divided.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "interrupt.hpp"

namespace zp {

// Calls body(begin, end) over [0, n) in blocks of at most `grain`, on up to thread_count() threads, including
// the calling one; a single thread gets [0, n) as one block. Returns when all are done. After an exception no further
// block is begun, and the first exception is rethrown here. The body checks `interrupt` itself; while the calling
// thread only waits for the others, it is checked here.
void parallel_for(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& body,
                  Interrupt* interrupt = nullptr);

// The lowest number below `limit` that any thread reports.
class Lowest {
  public:
    explicit Lowest(int64_t limit) : limit_(limit), lowest_(limit) {}

    void note(int64_t number) {
        int64_t before = lowest_;
        while (number < before && !lowest_.compare_exchange_weak(before, number)) {
        }
    }

    // The lowest number reported, or -1.
    int64_t found() const { return lowest_ == limit_ ? -1 : lowest_.load(); }

  private:
    int64_t limit_;
    std::atomic<int64_t> lowest_;
};

// Polls `ready` for a while, which is much quicker than sleeping and waking: small batches follow one another within
// microseconds. Returns whether it became true.
template <typename Ready>
bool poll_briefly(const Ready& ready) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
    do {
        for (int i = 0; i < 32; ++i) {
            if (ready()) return true;
#if defined(__x86_64__)
            __builtin_ia32_pause();
#endif
        }
    } while (std::chrono::steady_clock::now() < until);
    return false;
}

int thread_count();
void set_thread_count(int count);

}  // namespace zp
