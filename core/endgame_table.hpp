// The transposition table of exact endings, shared by the threads that solve a position. Three positions share a cache
// line; of these the one with the fewest empty squares, which is the quickest to solve again, gives way to a new one.
//
// There are no locks: a position is stored combined with its bounds, so that a reader who meets an entry that another
// thread is just writing takes it for that of another position.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "transposition_table.hpp"

namespace zp {

inline constexpr int kNoMove = 64;

// What is known about the score of a position for the side to move.
struct Bounds {
    int8_t low = -64, high = 64;
    uint8_t move = kNoMove;  // the best so far
    uint8_t empties = 0;
};

// The place of a position in tables of any size, by its highest bits.
inline uint64_t place_of(uint64_t own, uint64_t opponent) {
    return (own * 0x9E3779B97F4A7C15 ^ std::rotl(opponent * 0xD1B54A32D192ED03, 32)) * 0xBF58476D1CE4E5B9;
}

class EndgameTable {
  public:
    // 2^log2_entries times 16 bytes of memory.
    explicit EndgameTable(int log2_entries) : table_(size_t{1} << log2_buckets(log2_entries)) {}

    // Forgets everything; uses no more than 2^log2_entries of the table.
    void new_search(int log2_entries) {
        table_.new_search();
        shift_ = 63 - log2_buckets(log2_entries);
    }

    void prefetch(uint64_t place) { __builtin_prefetch(&bucket(place)); }

    bool find(uint64_t own, uint64_t opponent, uint64_t place, Bounds& bounds) {
        Bucket& b = bucket(place);
        if (b.generation.load(std::memory_order_acquire) != table_.generation()) return false;
        for (int i = 0; i < kWays; ++i) {
            const uint32_t data = b.data[i].load(std::memory_order_relaxed);
            if (!holds(b, i, data, own, opponent)) continue;
            bounds = std::bit_cast<Bounds>(data);
            return true;
        }
        return false;
    }

    // Adds that the score is at least `low` and at most `high`.
    void store(uint64_t own, uint64_t opponent, uint64_t place, int low, int high, int move, int empties) {
        Bucket& b = bucket(place);
        if (b.generation.load(std::memory_order_acquire) != table_.generation()) {
            for (int i = 0; i < kWays; ++i) write(b, i, 0, 0, 0);
            b.generation.store(table_.generation(), std::memory_order_release);
        }
        int chosen = 0, fewest = 65;
        Bounds bounds;
        for (int i = 0; i < kWays; ++i) {
            const uint32_t data = b.data[i].load(std::memory_order_relaxed);
            const Bounds there = std::bit_cast<Bounds>(data);
            if (holds(b, i, data, own, opponent)) {
                chosen = i;
                bounds = there;
                break;
            }
            if (there.empties < fewest) fewest = there.empties, chosen = i;
        }
        if (low > bounds.low || bounds.move == kNoMove) bounds.move = static_cast<uint8_t>(move);
        bounds.low = static_cast<int8_t>(std::max<int>(bounds.low, low));
        bounds.high = static_cast<int8_t>(std::min<int>(bounds.high, high));
        bounds.empties = static_cast<uint8_t>(empties);
        write(b, chosen, own, opponent, std::bit_cast<uint32_t>(bounds));
    }

  private:
    static constexpr int kWays = 3;

    struct alignas(64) Bucket {
        std::atomic<uint64_t> own[kWays], opponent[kWays];  // combined with `data`
        std::atomic<uint32_t> data[kWays];
        std::atomic<uint32_t> generation;
    };

    static int log2_buckets(int log2_entries) { return std::max(0, log2_entries - 2); }
    static uint64_t spread(uint32_t data) { return data * 0x9E3779B97F4A7C15; }

    static bool holds(const Bucket& b, int i, uint32_t data, uint64_t own, uint64_t opponent) {
        return (b.own[i].load(std::memory_order_relaxed) ^ spread(data)) == own &&
               (b.opponent[i].load(std::memory_order_relaxed) ^ std::rotl(spread(data), 32)) == opponent;
    }

    static void write(Bucket& b, int i, uint64_t own, uint64_t opponent, uint32_t data) {
        b.own[i].store(own ^ spread(data), std::memory_order_relaxed);
        b.opponent[i].store(opponent ^ std::rotl(spread(data), 32), std::memory_order_relaxed);
        b.data[i].store(data, std::memory_order_relaxed);
    }

    Bucket& bucket(uint64_t place) { return table_[place >> 1 >> shift_]; }

    TranspositionTable<Bucket> table_;
    int shift_ = 63;
};

}  // namespace zp
