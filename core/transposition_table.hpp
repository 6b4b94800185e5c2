// A transposition table. Entries are tagged with the generation of the search that stored them, so that a new search
// need not clear the table. Each thread keeps the memory of its last table for the next one; new memory is mapped and
// zeroed by the operating system page by page when it is used. So a table of any size costs nothing to create.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace zp {

// Entry: an aggregate that records its generation, which is 0 in an empty entry.
template <class Entry>
class TranspositionTable {
  public:
    static_assert(std::is_aggregate_v<Entry> && std::is_trivially_destructible_v<Entry>);

    explicit TranspositionTable(size_t entries) {
        const size_t bytes = entries * sizeof(Entry);
        if (spare_.bytes >= bytes) {
            memory_ = std::move(spare_);
        } else {
            memory_ = Memory(bytes);
        }
    }

    ~TranspositionTable() {
        if (memory_.bytes <= kMaxSpareBytes && memory_.bytes > spare_.bytes) spare_ = std::move(memory_);
    }

    TranspositionTable(const TranspositionTable&) = delete;
    TranspositionTable& operator=(const TranspositionTable&) = delete;

    // Invalidates all entries.
    void new_search() {
        if (++memory_.generation != 0) return;
        std::memset(static_cast<void*>(memory_.entries), 0, memory_.bytes);
        memory_.generation = 1;
    }

    Entry& operator[](size_t at) { return memory_.entries[at]; }
    uint32_t generation() const { return memory_.generation; }

  private:
    static constexpr size_t kMaxSpareBytes = size_t{1} << 25;
    static constexpr size_t kLargeBytes = size_t{1} << 23;

    struct Memory {
        Entry* entries = nullptr;
        size_t bytes = 0;
        uint32_t generation = 0;

        Memory() = default;
        explicit Memory(size_t size) : bytes(size) {
            void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (mapped == MAP_FAILED) throw std::bad_alloc();
            entries = static_cast<Entry*>(mapped);
#if defined(MADV_HUGEPAGE)
            // Fewer page faults, which are costly where several threads use a table, and fewer misses of the TLB.
            if (size >= kLargeBytes) madvise(mapped, size, MADV_HUGEPAGE);
#endif
        }
        Memory& operator=(Memory&& other) noexcept {
            std::swap(entries, other.entries);
            std::swap(bytes, other.bytes);
            std::swap(generation, other.generation);
            return *this;
        }
        ~Memory() {
            if (entries != nullptr) munmap(entries, bytes);
        }
    };

    static inline thread_local Memory spare_;
    Memory memory_;
};

}  // namespace zp
