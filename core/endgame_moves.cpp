#include "endgame_moves.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "endgame_last.hpp"
#include "flips.hpp"
#include "othello.hpp"
#include "stability.hpp"

namespace zp {
namespace {

constexpr uint64_t kBoard = ~uint64_t{0};
constexpr int kInfinity = 1 << 20;

// The value of a finished game.
int final_value(uint64_t own, uint64_t opponent) {
    return own == 0 ? -kWipeout : opponent == 0 ? kWipeout : 128 * final_score(own, opponent);
}

// The depth of the search that judges moves, by the number of empty squares; -1 is none.
constexpr int ordering_depth(int empties) {
    return empties < 12 ? -1 : empties < 16 ? 0 : empties < 19 ? 1 : empties < 25 ? 2 : 3;
}

}  // namespace

int stability_bound(uint64_t own, uint64_t opponent, int alpha, int empties) {
    return alpha >= stability_threshold(empties) ? 64 - 2 * std::popcount(stable_discs(opponent, own)) : 64;
}

int PatternSearch::shallow(uint64_t own, uint64_t opponent, const PatternTrace& trace, int alpha, int beta, int depth) {
    const int empties = std::popcount(~(own | opponent));
    if (depth == 0) return leaf(evaluation_.value(trace, empties));
    watch_.count.add();
    watch_.check();
    const uint64_t moves = othello64::legal(own, opponent, kBoard);
    if (moves == 0) {
        if (othello64::legal(opponent, own, kBoard) == 0) return final_value(own, opponent);
        return -shallow(opponent, own, trace.passed(), -beta, -alpha, depth);
    }
    int best = -kInfinity;
    for (uint64_t rest = moves; rest != 0; rest &= rest - 1) {
        const int square = std::countr_zero(rest);
        const uint64_t flipped = flips_at(own, opponent, square);
        const int value = flipped == opponent ? kWipeout
                          : depth == 1
                              ? -leaf(evaluation_.value_after(trace, square, flipped, false, empties - 1))
                              : -shallow(opponent ^ flipped, own ^ flipped ^ (rest & -rest),
                                         trace.after(square, flipped), -beta, -std::max(alpha, best), depth - 1);
        best = std::max(best, value);
        if (best >= beta) break;
    }
    return best;
}

int PatternSearch::deep(uint64_t own, uint64_t opponent, const PatternTrace& trace, int alpha, int beta, int depth,
                        bool passed) {
    if (depth <= 2) return shallow(own, opponent, trace, alpha, beta, depth);
    watch_.count.add();
    watch_.check();
    const uint64_t moves = othello64::legal(own, opponent, kBoard);
    if (moves == 0) {
        if (passed) return final_value(own, opponent);
        return -deep(opponent, own, trace.passed(), -beta, -alpha, depth, true);
    }
    Entry& entry = (*table_)[place_of(own, opponent) >> shift_];
    const bool known = entry.generation == table_->generation() && entry.own == own && entry.opponent == opponent;
    int table_move = kNoMove;
    if (known) {
        // That a side is wiped out is true whatever the depth.
        if (entry.low == kWipeout || entry.high == -kWipeout) return entry.low == kWipeout ? kWipeout : -kWipeout;
        if (entry.depth == depth && entry.low >= beta) return entry.low;
        if (entry.depth == depth && entry.high <= alpha) return entry.high;
        table_move = entry.move;
    }
    struct Child {
        int square, order;
        uint64_t flipped;
    };
    std::array<Child, MoveList::kMost> children;
    int n = 0;
    for (uint64_t rest = moves; rest != 0; rest &= rest - 1) {
        const int square = std::countr_zero(rest);
        const uint64_t flipped = flips_at(own, opponent, square);
        if (flipped == opponent) return kWipeout;
        const uint64_t mine = own ^ flipped ^ (rest & -rest), theirs = opponent ^ flipped;
        const int mobility = std::popcount(othello64::legal(theirs, mine, kBoard));
        const int value = evaluation_.value_after(trace, square, flipped, false, std::popcount(~(mine | theirs)));
        children[n++] = {square, square == table_move ? kInfinity : -value - 300 * mobility, flipped};
    }
    std::sort(children.begin(), children.begin() + n, [](const Child& a, const Child& b) { return a.order > b.order; });
    int best = -kInfinity, best_move = kNoMove;
    for (int i = 0; i < n; ++i) {
        const auto& [square, order, flipped] = children[i];
        const uint64_t mine = own ^ flipped ^ uint64_t{1} << square, theirs = opponent ^ flipped;
        const PatternTrace after = trace.after(square, flipped);
        const int low = std::max(alpha, best);
        int value = -deep(theirs, mine, after, i == 0 ? -beta : -low - 1, -low, depth - 1, false);
        if (i > 0 && value > low && value < beta) value = -deep(theirs, mine, after, -beta, -value, depth - 1, false);
        if (value > best) {
            best = value;
            best_move = square;
            if (best >= beta) break;
        }
    }
    Entry& stored = (*table_)[place_of(own, opponent) >> shift_];
    const auto low = static_cast<int16_t>(best > alpha ? best : -kWipeout);
    const auto high = static_cast<int16_t>(best < beta ? best : kWipeout);
    stored = {
        own, opponent, low, high, static_cast<int8_t>(depth), static_cast<int8_t>(best_move), table_->generation()};
    return best;
}

std::vector<PatternSearch::RootMove> PatternSearch::root(uint64_t own, uint64_t opponent, int depth) {
    constexpr int kLog2Entries = 16;
    TranspositionTable<Entry> table(size_t{1} << kLog2Entries);
    table.new_search();
    table_ = &table;
    shift_ = 64 - kLog2Entries;
    const PatternTrace trace = PatternTrace::of(own, opponent);
    std::vector<RootMove> moves;
    for (uint64_t rest = othello64::legal(own, opponent, kBoard); rest != 0; rest &= rest - 1) {
        moves.push_back({std::countr_zero(rest), 0});
    }
    for (int d = 1; d <= depth; ++d) {
        int best = -kInfinity;
        for (size_t i = 0; i < moves.size(); ++i) {
            auto& [square, value] = moves[i];
            const uint64_t flipped = flips_at(own, opponent, square);
            const uint64_t mine = own ^ flipped ^ uint64_t{1} << square, theirs = opponent ^ flipped;
            const PatternTrace after = trace.after(square, flipped);
            const auto search = [&](int alpha, int beta) {
                return theirs == 0 ? kWipeout : -deep(theirs, mine, after, -beta, -alpha, d - 1, false);
            };
            value = i == 0 ? search(-kInfinity, kInfinity) : search(best, best + 1);
            if (i > 0 && value > best) value = search(value - 1, kInfinity);
            best = std::max(best, value);
        }
        std::stable_sort(moves.begin(), moves.end(),
                         [](const RootMove& a, const RootMove& b) { return a.value > b.value; });
        if (best == kWipeout) break;
    }
    table_ = nullptr;
    return moves;
}

void list_moves(uint64_t own, uint64_t opponent, uint64_t moves, int empties, uint64_t odd, int table_move,
                PatternSearch* search, MoveList& list) {
    const int depth = search == nullptr ? -1 : ordering_depth(empties);
    const PatternTrace trace = depth >= 0 ? PatternTrace::of(own, opponent) : PatternTrace{};
    for (uint64_t rest = moves; rest != 0; rest &= rest - 1) {
        const int square = std::countr_zero(rest);
        const uint64_t flipped = flips_at(own, opponent, square);
        Move& move = list.add();
        move.own = opponent ^ flipped;
        move.opponent = own ^ flipped ^ (rest & -rest);
        move.square = square;
        int order = 0;
        if (move.own == 0) {
            order = 1 << 24;
        } else if (square == table_move) {
            order = 1 << 23;
        } else {
            // Fewest replies for the opponent first; corners count twice.
            const uint64_t replies = othello64::legal(move.own, move.opponent, kBoard);
            order = -400 * (std::popcount(replies) + std::popcount(replies & kCorners));
            if (odd >> square & 1) order += empties < 12 ? 160 : 30;
            if (depth >= 0) {
                order -= search->shallow(move.own, move.opponent, trace.after(square, flipped), -kInfinity, kInfinity,
                                         depth);
            }
        }
        list.rank(order);
    }
}

}  // namespace zp
