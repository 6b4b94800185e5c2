// Reads continuous threats to win at once to their end: fours in Gomoku (VCF), ataris in Atari-Go (ladders). Each
// threat has one answer, so the tree is narrow and is searched to any depth. When a limit is reached, LimitReached
// leaves the board in the middle of a line.
#pragma once

#include <cstdint>
#include <vector>

#include "chance.hpp"
#include "forcing.hpp"
#include "transposition_table.hpp"

namespace zp {

template <class Board>
class ForcingSolver {
  public:
    explicit ForcingSolver(Board& board, int log2_entries = 14)
        : board_(board), table_(size_t{1} << log2_entries), mask_((uint64_t{1} << log2_entries) - 1) {
        table_.new_search();
    }

    // Plies to a win of `colour`, which is on turn, by at most `threats` threats in a row; 0 if there is none, or if
    // `nodes` positions were visited or the allotted part of the budget was spent (then exhausted()). Shorter wins are
    // found first. `line` receives the moves of both sides.
    int solve(int colour, int threats, uint64_t nodes, Budget& budget, std::vector<int>* line = nullptr) {
        colour_ = colour;
        left_ = nodes;
        budget_ = &budget;
        line_ = line;
        exhausted_ = false;
        if (line != nullptr) line->clear();
        for (int depth = 0; depth <= threats; ++depth) {
            cut_ = false;
            moves_.resize(std::max(moves_.size(), static_cast<size_t>(depth) + 1));
            const int plies = search(depth);
            if (plies > 0 || !cut_ || exhausted_) {
                if (plies > 0 && line != nullptr) std::reverse(line->begin(), line->end());
                return plies;
            }
        }
        return 0;
    }

    // Whether the last search stopped at its number of nodes.
    bool exhausted() const { return exhausted_; }
    // Whether the last search left out longer series of threats.
    bool cut() const { return cut_; }

  private:
    // A position that is not won by this many threats.
    struct Entry {
        uint64_t key;
        int32_t threats;
        uint32_t generation;
    };
    static constexpr int kAnyNumber = 1 << 20;

    int won(int plies, std::initializer_list<int> moves) {
        if (line_ != nullptr) line_->insert(line_->end(), moves);  // backwards
        return plies;
    }

    // As solve(), from the position on the board.
    int search(int threats) {
        const int other = colour_ ^ 1;
        if (const int win = board_.win(colour_); win >= 0) return won(1, {win});
        const Answer answer = board_.answer(colour_);
        if (answer.kind == Answer::kLost) return 0;
        if (answer.kind == Answer::kFree) {
            if (const int open = board_.sure_threat(colour_); open >= 0) return finish(open);
        }
        if (answer.kind == Answer::kFree && !board_.can_force(colour_)) return 0;
        if (threats == 0) {
            cut_ = true;
            return 0;
        }
        const uint64_t key = board_.key() ^ mix(static_cast<uint64_t>(colour_) + 1);
        Entry& entry = table_[key & mask_];
        if (entry.key == key && entry.generation == table_.generation() && entry.threats >= threats) {
            if (entry.threats != kAnyNumber) cut_ = true;
            return 0;
        }
        if (left_ == 0 || budget_->spent()) exhausted_ = true;
        if (exhausted_) return 0;
        --left_;
        budget_->count();
        const bool cut_before = cut_;
        cut_ = false;
        Moves& moves = moves_[threats];
        moves.clear();
        if (answer.kind == Answer::kForced) {
            moves.push_back({answer.cell, 0});
        } else {
            board_.forcing(colour_, moves);
        }
        for (size_t i = 0; i < moves.size(); ++i) {
            const int cell = moves[i].cell;
            board_.place(cell, colour_);
            const Answer reply = board_.win(other) >= 0 ? Answer{} : board_.answer(other);
            int plies = 0;
            if (reply.kind == Answer::kLost) {
                plies = finish_after();
            } else if (reply.kind == Answer::kForced) {
                board_.place(reply.cell, other);
                plies = search(threats - 1);
                board_.remove(reply.cell);
                if (plies > 0) won(0, {reply.cell});
            }
            board_.remove(cell);
            if (plies > 0) return won(reply.kind == Answer::kLost ? plies + 1 : plies + 2, {cell});
            if (exhausted_) return 0;
        }
        entry = {key, cut_ ? threats : kAnyNumber, table_.generation()};
        cut_ = cut_ || cut_before;
        return 0;
    }

    // The line of a move with two threats: any answer, and the win that is left.
    int finish(int open) {
        board_.place(open, colour_);
        const int plies = finish_after();
        board_.remove(open);
        return won(plies + 1, {open});
    }

    int finish_after() {
        const int answer = board_.hold_out(colour_ ^ 1);
        if (answer < 0) return won(0, {});
        board_.place(answer, colour_ ^ 1);
        const int win = board_.win(colour_);
        board_.remove(answer);
        return won(2, {win, answer});
    }

    Board& board_;
    TranspositionTable<Entry> table_;
    uint64_t mask_;
    int colour_ = 0;
    uint64_t left_ = 0;
    Budget* budget_ = nullptr;
    std::vector<int>* line_ = nullptr;
    bool exhausted_ = false, cut_ = false;
    std::vector<Moves> moves_;  // by threats left
};

}  // namespace zp
