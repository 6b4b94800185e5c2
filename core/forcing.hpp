// Boards on which moves can threaten to win at once, so that the other side has one answer: fours in Gomoku, ataris in
// Atari-Go. Continuous threats are read out to their end by ForcingSolver; ForcingEngine searches everything else.
//
// A board has, for each colour on turn:
//   win(colour)          a cell that wins at once, or -1
//   answer(colour)       what it must answer if it cannot win at once
//   sure_threat(colour)  a cell that wins by two threats at once if the other side threatens nothing, or -1
//   forcing(...)         all moves that threaten to win at once
//   defences(...)        if the other side has a sure threat: all moves that may stop it
//   candidates(...)      the moves worth searching, best first, at most a given number
//   hold_out(colour)     a move for a side that has lost in two plies, or -1 if it has none
//   value(colour)        its evaluation
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"

namespace zp {

struct RankedCell {
    int cell, rank;
};
using Moves = std::vector<RankedCell>;

// Keeps the best `most` moves, best first; ties by cell.
inline void sort_cells(Moves& moves, size_t most = SIZE_MAX) {
    const auto better = [](const RankedCell& a, const RankedCell& b) {
        return a.rank > b.rank || (a.rank == b.rank && a.cell < b.cell);
    };
    if (moves.size() > most) {
        std::nth_element(moves.begin(), moves.begin() + static_cast<int64_t>(most), moves.end(), better);
        moves.resize(most);
    }
    std::sort(moves.begin(), moves.end(), better);
}

// The answer to a threat to win at once.
struct Answer {
    enum Kind { kFree, kForced, kLost } kind = kFree;
    int cell = -1;  // where it must play if forced
};

struct ForcingLimits {
    uint64_t nodes = 0;  // 0 is no limit
    double seconds = 0;  // 0 is no limit
    Interrupt* interrupt = nullptr;
};

// Thrown where a limit is reached.
struct LimitReached {};

// Counts the nodes of all searches of one position and keeps their limits.
class Budget {
  public:
    explicit Budget(const ForcingLimits& limits) : limits_(limits), started_(std::chrono::steady_clock::now()) {}

    void count() {
        ++nodes_;
        if (limits_.nodes != 0 && nodes_ > limits_.nodes) throw LimitReached{};
        if (nodes_ % 32 == 0) check();
    }
    // Until the next call, spent() says whether this part of the limits has been used up, or `nodes` more were counted.
    void allot(double part, uint64_t nodes) {
        spent_ = false;
        share_nodes_ = nodes_ + (limits_.nodes == 0 ? nodes : std::min(nodes, scaled(limits_.nodes, part)));
        share_seconds_ = limits_.seconds > 0 ? seconds() + part * limits_.seconds : 0;
    }
    bool spent() const { return spent_ || nodes_ >= share_nodes_; }

    uint64_t nodes() const { return nodes_; }
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }
    const ForcingLimits& limits() const { return limits_; }

  private:
    static uint64_t scaled(uint64_t nodes, double part) {
        return static_cast<uint64_t>(part * static_cast<double>(nodes));
    }

    void check() {
        Interrupt::check(limits_.interrupt);
        if (limits_.seconds == 0) return;
        const double now = seconds();
        if (now > limits_.seconds) throw LimitReached{};
        spent_ = spent_ || (share_seconds_ > 0 && now > share_seconds_);
    }

    ForcingLimits limits_;
    std::chrono::steady_clock::time_point started_;
    uint64_t nodes_ = 0, share_nodes_ = UINT64_MAX;
    double share_seconds_ = 0;
    bool spent_ = false;
};

}  // namespace zp
