#include "endgame_last.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "flips.hpp"
#include "images.hpp"
#include "othello.hpp"
#include "stability.hpp"

namespace zp {
namespace {

constexpr uint64_t kBoard = ~uint64_t{0};
constexpr int kStabilityFrom = 6;  // empty squares

constexpr std::array<uint64_t, 4> kQuadrants = {quadrant_of(0), quadrant_of(4), quadrant_of(32), quadrant_of(36)};

constexpr bool same_quadrant(int a, int b) { return ((a ^ b) & 36) == 0; }

// A move to one of the last squares and the squares left after it.
template <int N>
struct LastMove {
    int square;
    std::array<int, N> rest;
};

inline int solve1(uint64_t own, int square) {
    const int mine = 2 * std::popcount(own);
    if (const int flipped = last_flips_twice(own, square)) return mine + flipped + 2 - 64;
    const uint64_t opponent = ~own & ~(uint64_t{1} << square);
    if (const int flipped = last_flips_twice(opponent, square)) return mine - flipped - 64;
    return mine > 63 ? mine + 2 - 64 : mine - 64;
}

int solve2(uint64_t own, uint64_t opponent, int alpha, int first, int second, NodeCount& count) {
    ++count.nodes;
    int best = -65;
    for (const auto& [square, other] : {std::array{first, second}, std::array{second, first}}) {
        if (!(kBeside[square] & opponent)) continue;
        const uint64_t flipped = flips_at(own, opponent, square);
        if (flipped == 0) continue;
        best = std::max(best, -solve1(opponent ^ flipped, other));
        if (best > alpha) return best;
    }
    if (best != -65) return best;
    // The opponent's turn.
    int worst = 65;
    for (const auto& [square, other] : {std::array{first, second}, std::array{second, first}}) {
        if (!(kBeside[square] & own)) continue;
        const uint64_t flipped = flips_at(opponent, own, square);
        if (flipped == 0) continue;
        worst = std::min(worst, solve1(own ^ flipped, other));
        if (worst <= alpha) return worst;
    }
    return worst != 65 ? worst : final_score(own, opponent);
}

int solve3(uint64_t own, uint64_t opponent, int alpha, int a, int b, int c, NodeCount& count) {
    ++count.nodes;
    // A square alone in its quadrant first.
    if (same_quadrant(a, b)) {
        std::swap(a, c);
    } else if (same_quadrant(a, c)) {
        std::swap(a, b);
    }
    const std::array<LastMove<2>, 3> moves = {{{a, {b, c}}, {b, {a, c}}, {c, {a, b}}}};
    int best = -65;
    for (const auto& [square, rest] : moves) {
        if (!(kBeside[square] & opponent)) continue;
        const uint64_t flipped = flips_at(own, opponent, square);
        if (flipped == 0) continue;
        const uint64_t mine = own ^ flipped ^ uint64_t{1} << square;
        best = std::max(best, -solve2(opponent ^ flipped, mine, -alpha - 1, rest[0], rest[1], count));
        if (best > alpha) return best;
    }
    if (best != -65) return best;
    int worst = 65;
    for (const auto& [square, rest] : moves) {
        if (!(kBeside[square] & own)) continue;
        const uint64_t flipped = flips_at(opponent, own, square);
        if (flipped == 0) continue;
        const uint64_t theirs = opponent ^ flipped ^ uint64_t{1} << square;
        worst = std::min(worst, solve2(own ^ flipped, theirs, alpha, rest[0], rest[1], count));
        if (worst <= alpha) return worst;
    }
    return worst != 65 ? worst : final_score(own, opponent);
}

int solve4(uint64_t own, uint64_t opponent, int alpha, uint64_t odd, NodeCount& count) {
    ++count.nodes;
    const uint64_t empty = ~(own | opponent);
    // Squares alone in their quadrant first, then pairs.
    std::array<int, 4> squares;
    int n = 0;
    for (uint64_t rest = empty & odd; rest != 0; rest &= rest - 1) squares[n++] = std::countr_zero(rest);
    for (uint64_t rest = empty & ~odd; rest != 0; rest &= rest - 1) squares[n++] = std::countr_zero(rest);
    const auto [a, b, c, d] = squares;
    const std::array<LastMove<3>, 4> moves = {{{a, {b, c, d}}, {b, {a, c, d}}, {c, {a, b, d}}, {d, {a, b, c}}}};
    int best = -65;
    for (const auto& [square, rest] : moves) {
        if (!(kBeside[square] & opponent)) continue;
        const uint64_t flipped = flips_at(own, opponent, square);
        if (flipped == 0) continue;
        const uint64_t mine = own ^ flipped ^ uint64_t{1} << square;
        best = std::max(best, -solve3(opponent ^ flipped, mine, -alpha - 1, rest[0], rest[1], rest[2], count));
        if (best > alpha) return best;
    }
    if (best != -65) return best;
    if (othello64::legal(opponent, own, kBoard) == 0) return final_score(own, opponent);
    return -solve4(opponent, own, -alpha - 1, odd, count);
}

int solve5_to_7(uint64_t own, uint64_t opponent, int alpha, int empties, uint64_t odd, NodeCount& count) {
    count.add();
    if (empties >= kStabilityFrom && alpha >= stability_threshold(empties)) {
        const int bound = 64 - 2 * std::popcount(stable_discs(opponent, own));
        if (bound <= alpha) return bound;
    }
    const uint64_t empty = ~(own | opponent);
    int best = -65;
    for (uint64_t some : {empty & odd, empty & ~odd}) {
        for (; some != 0; some &= some - 1) {
            const int square = std::countr_zero(some);
            if (!(kBeside[square] & opponent)) continue;
            const uint64_t flipped = flips_at(own, opponent, square);
            if (flipped == 0) continue;
            const uint64_t mine = own ^ flipped ^ (some & -some), theirs = opponent ^ flipped;
            if (theirs == 0) return 64;
            const uint64_t left = odd ^ quadrant_of(square);
            best = std::max(best, empties == 5 ? -solve4(theirs, mine, -alpha - 1, left, count)
                                               : -solve5_to_7(theirs, mine, -alpha - 1, empties - 1, left, count));
            if (best > alpha) return best;
        }
    }
    if (best != -65) return best;
    if (othello64::legal(opponent, own, kBoard) == 0) return final_score(own, opponent);
    return -solve5_to_7(opponent, own, -alpha - 1, empties, odd, count);
}

}  // namespace

uint64_t odd_quadrants(uint64_t empty) {
    uint64_t odd = 0;
    for (const uint64_t quadrant : kQuadrants) odd |= std::popcount(empty & quadrant) & 1 ? quadrant : 0;
    return odd;
}

int final_score(uint64_t own, uint64_t opponent) {
    const int mine = std::popcount(own), theirs = std::popcount(opponent);
    return mine == theirs ? 0 : mine > theirs ? 64 - 2 * theirs : 2 * mine - 64;
}

int solve_last(uint64_t own, uint64_t opponent, int alpha, int empties, uint64_t odd, NodeCount& count) {
    if (empties > 4) return solve5_to_7(own, opponent, alpha, empties, odd, count);
    if (empties == 4) return solve4(own, opponent, alpha, odd, count);
    std::array<int, 4> squares{};
    int n = 0;
    for (uint64_t rest = ~(own | opponent); rest != 0; rest &= rest - 1) squares[n++] = std::countr_zero(rest);
    switch (empties) {
        case 0:
            return final_score(own, opponent);
        case 1:
            return solve1(own, squares[0]);
        case 2:
            return solve2(own, opponent, alpha, squares[0], squares[1], count);
        default:
            return solve3(own, opponent, alpha, squares[0], squares[1], squares[2], count);
    }
}

}  // namespace zp
