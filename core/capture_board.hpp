// An Atari-Go board for the game to the first capture. Nothing is removed before the game ends, so chains only grow:
// they are merged and separated again as moves are made and taken back, with their liberties at hand.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bits.hpp"
#include "chance.hpp"
#include "forcing.hpp"

namespace zp {

template <int W>
class CaptureBoard {
  public:
    using Set = Bits<W>;  // by cell

    // stones[cells]: 1 Black, -1 White, 0 empty; no chain is without a liberty.
    CaptureBoard(int size, const int8_t* stones) : cells_(size * size), beside_(cells_), chain_of_(cells_, -1) {
        for (int cell = 0; cell < cells_; ++cell) {
            const int row = cell / size, column = cell % size;
            if (row > 0) beside_[cell].set(cell - size);
            if (row < size - 1) beside_[cell].set(cell + size);
            if (column > 0) beside_[cell].set(cell - 1);
            if (column < size - 1) beside_[cell].set(cell + 1);
            empty_.set(cell);
        }
        for (int cell = 0; cell < cells_; ++cell) {
            if (stones[cell] != 0) place(cell, stones[cell] > 0 ? 0 : 1);
        }
    }

    int cells() const { return cells_; }
    bool full() const { return false; }  // the last liberty is a capture or suicide
    bool empty(int cell) const { return empty_.test(cell); }
    uint64_t key() const { return key_; }

    void place(int cell, int colour) {
        Undo undo;
        undo.merged = static_cast<int>(merged_.size());
        Chain made{Set::single(cell), beside_[cell] & empty_, colour, true};
        empty_.reset(cell);
        stones_[colour].set(cell);
        const int id = static_cast<int>(chains_.size());
        beside_[cell].for_each([&](int next) {
            const int near = chain_of_[next];
            if (near < 0) return;
            Chain& chain = chains_[near];
            if (chain.colour == colour) {
                if (!chain.alive) return;  // merged by another neighbour
                tally(chain, -1);
                chain.alive = false;
                made.stones = made.stones | chain.stones;
                made.liberties = made.liberties | chain.liberties;
                merged_.push_back(near);
            } else if (chain.liberties.test(cell)) {
                tally(chain, -1);
                chain.liberties.reset(cell);
                tally(chain, 1);
            }
        });
        made.liberties.reset(cell);
        made.stones.for_each([&](int stone) { chain_of_[stone] = id; });
        chains_.push_back(made);
        tally(chains_.back(), 1);
        undos_.push_back(undo);
        key_ ^= stone_key(cell, colour);
    }

    // Takes back the last stone, which was placed on `cell`.
    void remove(int cell) {
        const int colour = chains_.back().colour;
        tally(chains_.back(), -1);
        chains_.pop_back();
        chain_of_[cell] = -1;
        empty_.set(cell);
        stones_[colour].reset(cell);
        for (; static_cast<int>(merged_.size()) > undos_.back().merged; merged_.pop_back()) {
            const int id = merged_.back();
            Chain& chain = chains_[id];
            chain.alive = true;
            chain.stones.for_each([&](int stone) { chain_of_[stone] = id; });
            tally(chain, 1);
        }
        undos_.pop_back();
        beside_[cell].for_each([&](int next) {
            const int near = chain_of_[next];
            if (near < 0 || chains_[near].colour == colour || chains_[near].liberties.test(cell)) return;
            tally(chains_[near], -1);
            chains_[near].liberties.set(cell);
            tally(chains_[near], 1);
        });
        key_ ^= stone_key(cell, colour);
    }

    // See forcing.hpp.

    // The last liberty of an opposing chain.
    int win(int colour) const {
        const Set& last = last_liberties(colour ^ 1);
        return last.any() ? last.first() : -1;
    }

    Answer answer(int colour) const {
        const Set& last = last_liberties(colour);
        const int count = last.count();
        if (count == 0) return {};
        const int cell = last.first();
        if (count > 1 || liberties_after(cell, colour).count() < 2) return {Answer::kLost, -1};
        return {Answer::kForced, cell};
    }

    int sure_threat(int) const { return -1; }

    // A legal move that is no suicide, if there is one.
    int hold_out(int colour) const {
        int found = -1;
        empty_.for_each([&](int cell) {
            if (found < 0 && liberties_after(cell, colour).any()) found = cell;
        });
        return found;
    }

    bool can_force(int colour) const { return in_atari_next(colour ^ 1).any(); }

    // Ataris: moves on a liberty of a chain with two, which leave the own chain two.
    void forcing(int colour, Moves& moves) const {
        in_atari_next(colour ^ 1).for_each([&](int cell) {
            const int liberties = liberties_after(cell, colour).count();
            if (liberties >= 2) moves.push_back({cell, liberties});
        });
        sort_cells(moves);
    }

    bool defences(int, Moves&) const { return false; }

    void candidates(int colour, Moves& moves, size_t most) const {
        empty_.for_each([&](int cell) {
            const int liberties = liberties_after(cell, colour).count();
            if (liberties < 2) return;  // the other side would capture at once
            moves.push_back({cell, urgency(cell, colour, liberties)});
        });
        if (moves.empty()) {  // every move loses: those that are no suicide last longer
            empty_.for_each([&](int cell) {
                if (liberties_after(cell, colour).any()) moves.push_back({cell, 0});
            });
        }
        sort_cells(moves, most);
    }

    // As the evaluation `liberties`, in tenths.
    int value(int colour) const {
        return (2 * danger_[colour ^ 1] - danger_[colour] + 40 * (liberties_[colour] - liberties_[colour ^ 1])) / 20;
    }

    static constexpr size_t kWidth = 10;           // moves searched at inner nodes,
    static constexpr size_t kLastWidth = 6;        // at the last ply,
    static constexpr size_t kRootWidth = 24;       // and at the root
    static constexpr size_t kReduced = 2;          // the first move that is searched less deep
    static constexpr uint64_t kInnerForcing = 60;  // nodes of the solver at inner nodes,
    static constexpr uint64_t kLeafForcing = 15;   // and at leaves

  private:
    struct Chain {
        Set stones, liberties;
        int colour;
        bool alive;  // not part of a larger chain
    };
    struct Undo {
        int merged;  // chains merged before
    };

    static uint64_t stone_key(int cell, int colour) {
        return mix(kGolden * static_cast<uint64_t>(2 * cell + colour + 1));
    }

    // Adds a chain to the sums of its colour, or takes it out.
    void tally(const Chain& chain, int sign) {
        constexpr std::array<int, 5> kDanger = {0, 800, 160, 40, 10};
        const int count = chain.liberties.count();
        if (count < 5) danger_[chain.colour] += sign * kDanger[count] * (10 + chain.stones.count());
        liberties_[chain.colour] += sign * count;
        if (count == 1 || count == 2) {
            chain.liberties.for_each([&](int cell) {
                auto& number = (count == 1 ? ones_ : twos_)[chain.colour][cell];
                auto& set = (count == 1 ? last_ : next_)[chain.colour];
                number = static_cast<int8_t>(number + sign);
                number > 0 ? set.set(cell) : set.reset(cell);
            });
        }
    }

    const Set& last_liberties(int colour) const { return last_[colour]; }
    const Set& in_atari_next(int colour) const { return next_[colour]; }

    // Liberties of the chain that a stone on an empty cell would make, if it captures nothing.
    Set liberties_after(int cell, int colour) const {
        Set liberties = beside_[cell] & empty_;
        (beside_[cell] & stones_[colour]).for_each([&](int next) {
            liberties = liberties | chains_[chain_of_[next]].liberties;
        });
        liberties.reset(cell);
        return liberties;
    }

    int urgency(int cell, int colour, int liberties) const {
        constexpr std::array<int, 6> kAttack = {0, 0, 60, 35, 15, 6}, kDefend = {0, 0, 50, 30, 12, 4};
        int rank = 2 * liberties;
        (beside_[cell].without(empty_)).for_each([&](int next) {
            const Chain& chain = chains_[chain_of_[next]];
            const int count = std::min(chain.liberties.count(), 5);
            rank += chain.colour == colour ? kDefend[count] + (liberties > count ? 5 : -5) : kAttack[count];
        });
        return rank;
    }

    int cells_;
    uint64_t key_ = 0;
    std::vector<Set> beside_;  // neighbours of each cell
    std::vector<int> chain_of_;
    std::vector<Chain> chains_;  // the last stone's chain last
    std::vector<int> merged_;    // chains that are part of larger ones, in the order of merging
    std::vector<Undo> undos_;    // by stone
    Set empty_, stones_[2];
    Set last_[2], next_[2];  // liberties of chains with one and with two, by colour
    std::array<std::vector<int8_t>, 2> ones_{std::vector<int8_t>(cells_), std::vector<int8_t>(cells_)};
    std::array<std::vector<int8_t>, 2> twos_{std::vector<int8_t>(cells_), std::vector<int8_t>(cells_)};
    std::array<int, 2> danger_{}, liberties_{};
};

}  // namespace zp
