#include "threads.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace zp {
namespace {

thread_local bool in_job = false;  // this thread works on a block of a job

struct Job {
    Job(const std::function<void(int64_t, int64_t)>& body, int64_t n, int64_t grain) : body(body), n(n), grain(grain) {}

    const std::function<void(int64_t, int64_t)>& body;
    int64_t n, grain;
    std::atomic<int64_t> next{0};
    std::mutex failed_mutex;
    std::exception_ptr failed;

    void work() {
        for (;;) {
            const int64_t begin = next.fetch_add(grain);
            if (begin >= n) return;
            in_job = true;
            try {
                body(begin, std::min(begin + grain, n));
                in_job = false;
            } catch (...) {
                in_job = false;
                const std::lock_guard lock(failed_mutex);
                if (!failed) failed = std::current_exception();
                next.store(n);  // no thread starts another block
            }
        }
    }
};

class Pool {
  public:
    explicit Pool(int workers) {
        try {
            for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { run_worker(); });
        } catch (...) {
            close();
            throw std::runtime_error("the system does not allow " + std::to_string(workers + 1) + " threads");
        }
    }

    ~Pool() { close(); }

    // Does not wait for a worker that wakes up after all blocks are done.
    void run(Job& job, Interrupt* interrupt) {
        {
            const std::lock_guard lock(mutex_);
            job_ = &job;
            ++round_;
        }
        wake_.notify_all();
        job.work();
        {
            const std::lock_guard lock(mutex_);
            job_ = nullptr;
        }
        if (poll_briefly([this] { return active_ == 0; })) return;
        std::unique_lock lock(mutex_);
        while (!done_.wait_for(lock, Interrupt::interval(interrupt), [this] { return active_ == 0; })) {
            lock.unlock();
            try {
                Interrupt::check(interrupt);
            } catch (const Interrupted&) {  // the other threads still use the job and will stop by themselves
            }
            lock.lock();
        }
    }

  private:
    void close() {
        {
            const std::lock_guard lock(mutex_);
            closing_ = true;
        }
        wake_.notify_all();
        for (auto& thread : threads_) thread.join();
        threads_.clear();
    }

    void run_worker() {
        uint64_t seen = 0;
        const auto has_work = [&] { return closing_ || round_ != seen; };
        for (;;) {
            Job* job;
            poll_briefly(has_work);
            {
                std::unique_lock lock(mutex_);
                wake_.wait(lock, has_work);
                if (closing_) return;
                seen = round_;
                job = job_;
                if (job == nullptr) continue;
                ++active_;
            }
            job->work();
            const std::lock_guard lock(mutex_);
            if (--active_ == 0) done_.notify_one();
        }
    }

    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable wake_, done_;
    Job* job_ = nullptr;
    // Written under the mutex; atomic because they are also read without it.
    std::atomic<uint64_t> round_ = 0;
    std::atomic<int> active_ = 0;
    std::atomic<bool> closing_ = false;
};

std::atomic<int> requested{std::max(1, static_cast<int>(std::thread::hardware_concurrency()))};
std::mutex pool_mutex;  // held while a job uses the pool
Pool* pool = nullptr;   // never destroyed at exit: its threads may outlive static destructors
int pool_size = 0;
pid_t pool_process = 0;

}  // namespace

int thread_count() { return requested; }
void set_thread_count(int count) { requested = std::max(1, count); }

void parallel_for(int64_t n, int64_t grain, const std::function<void(int64_t, int64_t)>& body, Interrupt* interrupt) {
    const int threads = thread_count();
    std::unique_lock<std::mutex> using_pool(pool_mutex, std::defer_lock);
    // Too little work, or part of a job, or another Python thread uses the pool: work in this thread.
    if (threads == 1 || n <= grain || in_job || !using_pool.try_lock()) {
        if (n > 0) body(0, n);
        return;
    }
    if (pool == nullptr || pool_size != threads || pool_process != getpid()) {
        if (pool_process == getpid()) delete pool;  // after a fork the threads are gone: leave the old one
        pool = nullptr;
        pool = new Pool(threads - 1);
        pool_size = threads;
        pool_process = getpid();
    }
    Job job(body, n, grain);
    pool->run(job, interrupt);
    if (job.failed) std::rethrow_exception(job.failed);
}

}  // namespace zp
