// The transposition table of alpha-beta search: bounds on the value of a position at one depth, and its best move.
//
// Several threads may search with one table without locks: an entry is three words, the first of which is the key
// combined with the other two, so that an entry written by two threads at once is not found (Hyatt and Mann 2002).
// Entries lie in pairs: the first of a pair keeps the deeper result of the current search, the second the newer one.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <mutex>

#include "transposition_table.hpp"

namespace zp {

struct TableEntry {
    float low, high;  // bounds on the value for the side to move
    int depth;
    int move;      // the best move's bit
    bool horizon;  // whether the bounds rest on evaluations, not only on finished games
    bool current;  // whether the running search stored it
};

class SearchTable {
  public:
    explicit SearchTable(int log2_entries)
        : table_(size_t{1} << log2_entries), pairs_((uint64_t{1} << log2_entries) - 2) {}

    // Forgets all entries.
    void clear() {
        table_.new_search();
        oldest_ = table_.generation();
    }

    // Keeps the entries of earlier searches, but replaces them first.
    void new_search() {
        const uint32_t before = table_.generation();
        table_.new_search();
        if (oldest_ == 0 || table_.generation() < before) oldest_ = table_.generation();
    }

    bool find(uint64_t key, TableEntry& found) {
        Slot* const pair = &table_[key & pairs_];
        return read(pair[0], key, found) || read(pair[1], key, found);
    }

    // Stores a value found with the window (alpha, beta); with `keep_deeper`, not over a deeper result of this search.
    void store(uint64_t key, int depth, float alpha, float beta, float value, int move, bool horizon,
               bool keep_deeper) {
        Slot* const pair = &table_[key & pairs_];
        TableEntry entry{-kInfinity, kInfinity, depth, move, horizon, true};
        Slot* slot = nullptr;
        for (int i = 0; i < 2 && slot == nullptr; ++i) {
            TableEntry old;
            if (!read(pair[i], key, old)) continue;
            slot = pair + i;
            if (keep_deeper && old.current && old.depth > depth) return;
            if (old.depth == depth) {
                entry.low = old.low;
                entry.high = old.high;
                entry.horizon = horizon || old.horizon;
            }
        }
        if (slot == nullptr) slot = replaceable(pair[0], depth) ? pair : pair + 1;
        if (value > alpha && value > entry.low) entry.low = value;
        if (value < beta && value < entry.high) entry.high = value;
        write(*slot, key, entry);
    }

    // Held while a search uses a table that is kept between searches.
    std::mutex& in_use() { return in_use_; }

  private:
    static constexpr float kInfinity = std::numeric_limits<float>::infinity();

    struct Slot {
        std::atomic<uint64_t> check;   // key ^ bounds ^ about
        std::atomic<uint64_t> bounds;  // low, high
        std::atomic<uint64_t> about;   // generation in the upper half; move + 1, depth, horizon
    };

    bool read(const Slot& slot, uint64_t key, TableEntry& entry) const {
        const uint64_t bounds = slot.bounds.load(std::memory_order_relaxed);
        const uint64_t about = slot.about.load(std::memory_order_relaxed);
        if ((slot.check.load(std::memory_order_relaxed) ^ bounds ^ about) != key || about >> 32 < oldest_) return false;
        entry.low = std::bit_cast<float>(static_cast<uint32_t>(bounds >> 32));
        entry.high = std::bit_cast<float>(static_cast<uint32_t>(bounds));
        entry.move = static_cast<int>(about & 0xFFFF) - 1;
        entry.depth = static_cast<int>(about >> 16 & 0xFF);
        entry.horizon = (about >> 24 & 1) != 0;
        entry.current = about >> 32 == table_.generation();
        return true;
    }

    void write(Slot& slot, uint64_t key, const TableEntry& entry) const {
        const uint64_t bounds =
            uint64_t{std::bit_cast<uint32_t>(entry.low)} << 32 | std::bit_cast<uint32_t>(entry.high);
        const uint64_t about = uint64_t{table_.generation()} << 32 | uint64_t{entry.horizon} << 24 |
                               static_cast<uint64_t>(entry.depth) << 16 | static_cast<uint64_t>(entry.move + 1);
        slot.check.store(key ^ bounds ^ about, std::memory_order_relaxed);
        slot.bounds.store(bounds, std::memory_order_relaxed);
        slot.about.store(about, std::memory_order_relaxed);
    }

    // Whether a result of this depth takes the place of the entry.
    bool replaceable(const Slot& slot, int depth) const {
        const uint64_t about = slot.about.load(std::memory_order_relaxed);
        return about >> 32 != table_.generation() || static_cast<int>(about >> 16 & 0xFF) <= depth;
    }

    TranspositionTable<Slot> table_;
    uint64_t pairs_;
    uint32_t oldest_ = 0;  // generation of the oldest entries that may be used
    std::mutex in_use_;
};

}  // namespace zp
