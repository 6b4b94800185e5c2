// Evaluations for search, all from the point of view of the side to move. A finished game counts as far better or worse
// than any evaluation, and more the larger the margin (or, where games are just won or lost, the sooner it was
// finished); only the pattern evaluation, which speaks in discs, needs no such gap.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "atarigo.hpp"
#include "board_net.hpp"
#include "gomoku.hpp"
#include "hex.hpp"
#include "images.hpp"
#include "othello.hpp"
#include "patterns.hpp"
#include "rules.hpp"
#include "search.hpp"

namespace zp {

struct DecidedByMargin {
    template <Rules R>
    float final(const R& rules, const typename R::State& state) const {
        return 1e9f * static_cast<float>(state.mover == kBlack ? rules.score(state) : -rules.score(state));
    }
};

// Own stones less the opponent's.
struct PieceCount : DecidedByMargin {
    template <Rules R>
    float value(const R& rules, const typename R::State& state) const {
        const auto position = rules.setup(state);
        return static_cast<float>(position.stones[state.mover].count() - position.stones[state.mover ^ 1].count());
    }
};

// A weight per cell, own stones less the opponent's; `weights` by cell.
struct WeightedPieces : DecidedByMargin {
    std::vector<float> weights;

    template <Rules R>
    float value(const R& rules, const typename R::State& state) const {
        const auto position = rules.setup(state);
        double total = 0;
        const auto& cell = rules.geometry.cell_of_bit;
        position.stones[state.mover].for_each([&](int bit) { total += weights[cell[bit]]; });
        position.stones[state.mover ^ 1].for_each([&](int bit) { total -= weights[cell[bit]]; });
        return static_cast<float>(std::nearbyint(total * 0x1.0p20) * 0x1.0p-20);  // ties as in BatchOf::child_weights
    }
};

// Number of own moves less the opponent's.
struct Mobility : DecidedByMargin {
    template <Rules R>
    float value(const R& rules, const typename R::State& state) const {
        const int own = rules.legal(state).count();
        auto position = rules.setup(state);
        position.mover ^= 1;
        const auto turned = rules.make(position);
        // If the opponent could not move, `make` passes back to us.
        const int other = turned.over || turned.mover == state.mover ? 0 : rules.legal(turned).count();
        return static_cast<float>(own - other);
    }
};

// Tables over tuples of squares, as in the Othello League's .player files: digits 0 White, 1 empty, 2 Black, first
// square most significant. These tables value the board for the side that has just moved: if that is White, some
// players negate the value, others evaluate the board with colours exchanged.
struct NTuples : DecidedByMargin {
    struct Tuple {
        std::vector<uint8_t> squares;  // bits, first the most significant
        int table;                     // where its weights begin
    };
    std::vector<Tuple> tuples;
    std::vector<float> weights;
    bool exchange_colours = false;

    float value(const Othello& rules, const Othello::State& state) const {
        const auto position = rules.setup(state);
        const int moved = state.passed ? state.mover : state.mover ^ 1;
        const bool exchanged = exchange_colours && moved == kWhite;
        const uint64_t black = position.stones[exchanged ? kWhite : kBlack].word[0];
        const uint64_t white = position.stones[exchanged ? kBlack : kWhite].word[0];
        double total = 0;
        for (const Tuple& tuple : tuples) {
            int index = 0;
            for (const uint8_t square : tuple.squares) {
                index = 3 * index + 1 + static_cast<int>(black >> square & 1) - static_cast<int>(white >> square & 1);
            }
            total += weights[tuple.table + index];
        }
        const bool for_white = !exchange_colours && moved == kWhite;
        const double sign = (for_white ? -1 : 1) * (moved == state.mover ? 1 : -1);
        return static_cast<float>(std::nearbyint(sign * total * 0x1.0p20) * 0x1.0p-20);
    }
};

// GNOME Iagno's: own moves less the opponent's, a frontier term, and a weight per square.
struct IagnoEvaluation : DecidedByMargin {
    std::array<float, 64> weights;

    float value(const Othello& rules, const Othello::State& state) const {
        const float mobility = Mobility{}.value(rules, state);
        float total = mobility + frontier(state.own, state.opponent) - frontier(state.opponent, state.own);
        for (uint64_t rest = state.own; rest != 0; rest &= rest - 1) total += weights[std::countr_zero(rest)];
        for (uint64_t rest = state.opponent; rest != 0; rest &= rest - 1) total -= weights[std::countr_zero(rest)];
        return total;
    }

  private:
    // For every disc -1 for each empty square beside it, or 2 if there is none.
    static float frontier(uint64_t discs, uint64_t others) {
        const uint64_t empty = ~(discs | others);
        int total = 0;
        for (uint64_t rest = discs; rest != 0; rest &= rest - 1) {
            const int beside = std::popcount(empty & kBeside[std::countr_zero(rest)]);
            total += beside == 0 ? 2 : -beside;
        }
        return static_cast<float>(total);
    }
};

// The pattern evaluation, in discs; empty squares of a finished game go to the winner.
struct Patterns {
    using Trace = PatternTrace;

    const PatternEvaluation* tables;

    Trace trace(const Othello::State& state) const { return PatternTrace::of(state.own, state.opponent); }
    Trace after(const Trace& trace, const Othello::State& state, const Othello::State& next) const {
        const Trace then = trace.after(next.last, turned(state, next));
        return next.passed ? then.passed() : then;
    }
    float value(const Trace& trace, const Othello::State& state) const {
        return static_cast<float>(tables->value(trace, std::popcount(~(state.own | state.opponent)))) *
               PatternEvaluation::kUnit;
    }
    float value_after(const Trace& trace, const Othello::State& state, const Othello::State& next) const {
        const int empties = std::popcount(~(next.own | next.opponent));
        return static_cast<float>(tables->value_after(trace, next.last, turned(state, next), next.passed, empties)) *
               PatternEvaluation::kUnit;
    }

    float value(const Othello&, const Othello::State& state) const {
        return static_cast<float>(tables->value(state.own, state.opponent)) * PatternEvaluation::kUnit;
    }
    float final(const Othello& rules, const Othello::State& state) const {
        const int difference = std::popcount(state.own) - std::popcount(state.opponent);
        const int empty = rules.geometry.cells - std::popcount(state.own | state.opponent);
        return static_cast<float>(difference == 0 ? 0 : difference > 0 ? difference + empty : difference - empty);
    }

    // A search of half the depth and the same parity is off by a deviation that was measured. A search to the end of
    // the game needs no guess.
    std::optional<ProbCutModel> probcut(int depth, const Othello::State& state) const {
        const int empties = std::popcount(~(state.own | state.opponent));
        if (depth < 4 || depth >= empties) return std::nullopt;
        const int half = depth / 2 - ((depth - depth / 2) & 1);
        return ProbCutModel{half, tables->deviation(depth, empties)};
    }

  private:
    static uint64_t turned(const Othello::State& state, const Othello::State& next) {
        return state.opponent ^ (next.passed ? next.opponent : next.own);
    }
};

// For games that are won or lost by no margin: a win is the better the sooner it comes, a loss the later. The number of
// moves made is a function of the position, so that the transposition table need not store it.
struct DecidedByTime {
    template <Rules R>
    float final(const R& rules, const typename R::State& state) const {
        constexpr float kWin = 0x1.0p30f, kMove = 0x1.0p10f;
        const int result = state.mover == kBlack ? rules.score(state) : -rules.score(state);
        return static_cast<float>(result) * (kWin - kMove * static_cast<float>(rules.move_number(state)));
    }
};

// The value of a net.
struct NetEvaluation {
    std::shared_ptr<const BoardNet> net;

    template <Rules R>
    float value(const R& rules, const typename R::State& state) const {
        const auto* states = &state;
        float out;
        values(rules, &states, 1, &out);
        return out;
    }
    template <Rules R>
    void values(const R& rules, const typename R::State* const* states, int count, float* out) const {
        const int cells = rules.geometry.cells;
        const auto& cell = rules.geometry.cell_of_bit;
        std::vector<int8_t> stones(static_cast<size_t>(count) * cells);
        std::vector<int> movers(count);
        for (int i = 0; i < count; ++i) {
            const auto position = rules.setup(*states[i]);
            int8_t* const board = stones.data() + static_cast<size_t>(i) * cells;
            position.stones[kBlack].for_each([&](int bit) { board[cell[bit]] = 1; });
            position.stones[kWhite].for_each([&](int bit) { board[cell[bit]] = -1; });
            movers[i] = states[i]->mover;
        }
        net->values(stones.data(), cells, movers.data(), count, out);
    }
    template <Rules R>
    float final(const R& rules, const typename R::State& state) const {
        if constexpr (requires { state.own; }) {  // Othello of any size
            return DecidedByMargin{}.final(rules, state);
        } else {
            return DecidedByTime{}.final(rules, state);
        }
    }
};

// Gomoku: for every five cells in a row that hold stones of one colour only, more the more stones there are. All such
// fives of a direction are counted at once: the bit at a five's first cell is one digit of its number of stones.
struct OpenLines : DecidedByTime {
    template <int W>
    float value(const Gomoku<W>& rules, const typename Gomoku<W>::State& state) const {
        int ours = 0, against = 0;
        for (int d = 0; d < 4; ++d) {
            const Counts<W> mine = count_fives(state.stones[state.mover], rules.steps[d]);
            const Counts<W> theirs = count_fives(state.stones[state.mover ^ 1], rules.steps[d]);
            ours += worth(mine, rules.five_starts[d].without(theirs.any()));
            against += worth(theirs, rules.five_starts[d].without(mine.any()));
        }
        return (12.0f * static_cast<float>(ours) - 10.0f * static_cast<float>(against)) / 10.0f;  // it is our turn
    }

  private:
    // The number of stones of every five, by binary digits.
    template <int W>
    struct Counts {
        Bits<W> ones, twos, fours;

        Bits<W> any() const { return ones | twos | fours; }
    };

    template <int W>
    static Counts<W> count_fives(const Bits<W>& stones, int step) {
        const Bits<W> b = stones >> step, c = b >> step, d = c >> step, e = d >> step;
        const Bits<W> first = stones ^ b ^ c, first_carry = (stones & b) | (c & (stones ^ b));
        const Bits<W> ones = first ^ d ^ e, carry = (first & d) | (e & (first ^ d));
        return {ones, first_carry ^ carry, first_carry & carry};
    }

    // One stone is worth 1, two 8, three 50, four 300.
    template <int W>
    static int worth(const Counts<W>& counts, const Bits<W>& open) {
        const Bits<W> ones = counts.ones & open, twos = counts.twos & open, fours = counts.fours & open;
        const int threes = (ones & twos).count();
        return ones.without(twos | fours).count() + 8 * twos.without(ones).count() + 50 * threes +
               300 * fours.without(ones).count();
    }
};

// Atari-Go: liberties of the weakest chains count most.
struct Liberties : DecidedByTime {
    template <int W>
    float value(const AtariGo<W>& rules, const typename AtariGo<W>::State& state) const {
        constexpr std::array<int, 5> kDanger = {0, 800, 160, 40, 10};  // in twentieths
        int total = 0;                                                 // in two-hundredths
        for (const int colour : {kBlack, kWhite}) {
            const int sign = colour == state.mover ? -1 : 1;
            rules.each_chain(state, colour, [&](const Bits<W>& chain, int liberties) {
                // A chain in atari on our own turn can still be saved.
                const int turn = colour == state.mover ? 1 : 2;
                if (liberties < 5) total += sign * turn * kDanger[liberties] * (10 + chain.count());
                total -= sign * 40 * liberties;
            });
        }
        return static_cast<float>(total) / 200.0f;
    }
};

// Hex: how many more empty cells the opponent needs to connect its edges than the side to move.
struct ConnectionDistance : DecidedByTime {
    template <int W>
    float value(const Hex<W>& rules, const typename Hex<W>::State& state) const {
        return static_cast<float>(rules.distance(state, state.mover ^ 1) - rules.distance(state, state.mover));
    }
};

}  // namespace zp
