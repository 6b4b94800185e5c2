// Atari-Go: Go without passing, won by the first to capture a given number of stones (usually one).
//
// A move that takes an opposing chain's last liberty captures it, even if it has no liberty itself. A move that
// captures nothing and leaves its own chain without a liberty is suicide: it loses at once, or is illegal. A
// player without a legal move loses. Captured stones are removed; simple ko applies.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "rules.hpp"

namespace zp {

template <int W>
class AtariGo {
  public:
    static constexpr int kWords = W;
    using Set = Bits<W>;

    struct State : StateBase {
        int8_t winner = 0;  // 1 Black, -1 White
        int16_t ko = -1;    // bit forbidden to the side to move
        uint16_t plies = 0;
        uint16_t captured[2] = {0, 0};  // by the colour that took them
        Set stones[2];
    };

    Geometry<W> geometry;

    AtariGo(int size, int captures, bool suicide_loses)
        : geometry(size, size + 1), captures_(captures), suicide_loses_(suicide_loses) {
        near_.resize(64 * W);
        geometry.board.for_each([&](int bit) { near_[bit] = neighbours(Set::single(bit)); });
    }

    State start() const { return State{}; }

    Set legal(const State& s) const {
        if (s.over) return Set{};
        Set moves = geometry.board.without(s.stones[kBlack] | s.stones[kWhite]);
        if (!suicide_loses_) {
            // Only an empty cell without an empty neighbour can be suicide.
            const Set empty = moves;
            empty.without(neighbours(empty)).for_each([&](int bit) {
                if (is_suicide(s, empty, bit)) moves.reset(bit);
            });
        }
        if (s.ko >= 0) moves.reset(s.ko);
        return moves;
    }

    void play(State& s, int bit) const {
        const int colour = s.mover;
        Set& own = s.stones[colour];
        Set& other = s.stones[colour ^ 1];
        own.set(bit);
        Set empty = geometry.board.without(own | other);
        s.last = static_cast<int16_t>(bit);
        s.ko = -1;
        ++s.plies;
        s.mover ^= 1;

        Set taken;
        (near_[bit] & other).for_each([&](int beside) {
            if (!taken.test(beside) && !has_liberty(other, empty, beside)) taken = taken | chain(other, beside);
        });
        if (taken.any()) {
            const int count = taken.count();
            other = other.without(taken);
            empty = empty | taken;
            s.captured[colour] = static_cast<uint16_t>(s.captured[colour] + count);
            if (s.captured[colour] >= captures_) return end(s, colour);
            const bool alone = !(near_[bit] & own).any();
            if (count == 1 && alone && (near_[bit] & empty).count() == 1) s.ko = static_cast<int16_t>(taken.first());
        } else if (!has_liberty(own, empty, bit)) {
            return end(s, colour ^ 1);  // suicide
        }
        if (!can_move(s, empty)) end(s, colour);
    }

    int score(const State& s) const { return s.winner; }
    int move_number(const State& s) const { return s.plies + 1; }

    State make(const Setup<W>& position) const {
        State s;
        s.mover = static_cast<uint8_t>(position.mover);
        for (const int colour : {kBlack, kWhite}) {
            s.stones[colour] = position.stones[colour];
            s.captured[colour] = static_cast<uint16_t>(position.captured[colour]);
        }
        const Set all = s.stones[kBlack] | s.stones[kWhite];
        const Set empty = geometry.board.without(all);
        s.plies = static_cast<uint16_t>(all.count() + s.captured[kBlack] + s.captured[kWhite]);
        if (position.ko >= 0 && !empty.test(position.ko)) throw std::invalid_argument("the ko point is not empty");
        s.ko = static_cast<int16_t>(position.ko);

        bool dead[2] = {};  // has stones without a liberty
        for (const int colour : {kBlack, kWhite}) {
            s.stones[colour].for_each([&](int bit) { dead[colour] |= !has_liberty(s.stones[colour], empty, bit); });
        }
        const int waiting = position.mover ^ 1;
        if (dead[position.mover] || (dead[waiting] && !suicide_loses_)) {
            throw std::invalid_argument("there are stones without a liberty");
        }
        if (s.captured[position.mover] >= captures_) {
            throw std::invalid_argument("the side to move has already captured enough to win");
        }
        if (s.captured[waiting] >= captures_) {
            end(s, waiting);
        } else if (dead[waiting] || !can_move(s, empty)) {
            end(s, dead[waiting] ? position.mover : waiting);
        }
        return s;
    }

    Setup<W> setup(const State& s) const {
        Setup<W> position;
        position.mover = s.mover;
        for (const int colour : {kBlack, kWhite}) {
            position.stones[colour] = s.stones[colour];
            position.captured[colour] = s.captured[colour];
        }
        position.ko = s.ko;
        return position;
    }

    // Number of liberties of the chain that holds the stone at `bit`.
    int liberties(const State& s, int bit) const {
        const Set& stones = s.stones[s.stones[kBlack].test(bit) ? kBlack : kWhite];
        const Set empty = geometry.board.without(s.stones[kBlack] | s.stones[kWhite]);
        return (neighbours(chain(stones, bit)) & empty).count();
    }

    // Calls visit(chain, liberties) for every chain of a colour.
    template <class F>
    void each_chain(const State& s, int colour, F&& visit) const {
        const Set empty = geometry.board.without(s.stones[kBlack] | s.stones[kWhite]);
        for (Set rest = s.stones[colour]; rest.any();) {
            const Set one = chain(s.stones[colour], rest.first());
            visit(one, (neighbours(one) & empty).count());
            rest = rest.without(one);
        }
    }

  private:
    Set neighbours(const Set& set) const {
        return ((set << 1) | (set >> 1) | (set << geometry.stride) | (set >> geometry.stride)) & geometry.board;
    }

    Set chain(const Set& stones, int bit) const {
        Set grown = Set::single(bit);
        for (Set before; grown != before;) {
            before = grown;
            grown = grown | (neighbours(grown) & stones);
        }
        return grown;
    }

    bool has_liberty(const Set& stones, const Set& empty, int bit) const {
        Set near = near_[bit];
        if ((near & empty).any()) return true;
        Set grown = Set::single(bit);
        for (;;) {
            const Set wider = grown | (near & stones);
            if (wider == grown) return false;
            grown = wider;
            near = neighbours(grown);
            if ((near & empty).any()) return true;
        }
    }

    bool is_suicide(const State& s, const Set& empty, int bit) const {
        Set own = s.stones[s.mover];
        own.set(bit);
        Set rest = empty;
        rest.reset(bit);
        if (has_liberty(own, rest, bit)) return false;
        const Set& other = s.stones[s.mover ^ 1];
        bool captures = false;
        (near_[bit] & other).for_each([&](int beside) { captures |= !has_liberty(other, rest, beside); });
        return !captures;
    }

    bool can_move(const State& s, const Set& empty) const {
        Set free = suicide_loses_ ? empty : empty & neighbours(empty);
        if (s.ko >= 0) free.reset(s.ko);
        return free.any() || (!suicide_loses_ && legal(s).any());
    }

    static void end(State& s, int winner) {
        s.over = true;
        s.winner = winner == kBlack ? 1 : -1;
    }

    int captures_;
    bool suicide_loses_;
    std::vector<Set> near_;  // neighbours of each cell, by bit
};

}  // namespace zp
