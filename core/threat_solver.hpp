// Looks for a win in which every move of the attacker is a threat (VCT): a four, or a three, which threatens an open
// four. All answers that may stop a three are tried: the cells of the open four's fives, and fours of the defender.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "chance.hpp"
#include "forcing.hpp"
#include "forcing_solver.hpp"

namespace zp {

template <class Board>
class ThreatSolver {
  public:
    // `fours` reads continuous fours on the same board.
    ThreatSolver(Board& board, ForcingSolver<Board>& fours) : board_(board), fours_(fours) {}

    // Plies to a win of `colour`, which is on turn, by at most `threats` threats in a row and then fours only; 0 if
    // there is none or the allotted part of the budget was spent (then exhausted()).
    int solve(int colour, int threats, Budget& budget) {
        colour_ = colour;
        budget_ = &budget;
        exhausted_ = false;
        attacks_.resize(static_cast<size_t>(threats) + 1);
        answers_.resize(static_cast<size_t>(threats) + 1);
        for (int depth = 1; depth <= threats; ++depth) {
            cut_ = false;
            const int plies = attack(depth);
            if (plies > 0) {
                find_line();
                return plies;
            }
            if (!cut_ || exhausted_) break;
        }
        return 0;
    }

    // Whether the last search stopped at its number of nodes.
    bool exhausted() const { return exhausted_; }
    // Whether the last search left out longer series of threats.
    bool cut() const { return cut_; }
    // The moves of the win that was found, with the answers that hold out longest.
    const std::vector<int>& line() const { return line_; }

  private:
    static constexpr uint64_t kFourNodes = 400;  // for fours after the threats
    static constexpr int kLongest = 64;

    struct Win {
        int move, plies;
    };
    struct Loss {
        int threats;
        bool cut;
    };

    uint64_t key() const { return board_.key() ^ mix(static_cast<uint64_t>(colour_) + 1); }

    // Plies in which the attacker, on turn, wins by threats; 0 if it does not.
    int attack(int threats) {
        if (board_.win(colour_) >= 0) return 1;
        const Answer answer = board_.answer(colour_);
        if (answer.kind == Answer::kLost) return 0;
        if (answer.kind == Answer::kFree && board_.sure_threat(colour_) >= 0) return 3;
        const uint64_t here = key();
        if (const auto known = wins_.find(here); known != wins_.end()) return known->second.plies;
        if (const auto known = losses_.find(here); known != losses_.end() && known->second.threats >= threats) {
            cut_ = cut_ || known->second.cut;
            return 0;
        }
        if (budget_->spent()) exhausted_ = true;
        if (exhausted_) return 0;
        budget_->count();
        if (board_.can_force(colour_)) {
            std::vector<int> line;
            if (const int plies = fours_.solve(colour_, kLongest, kFourNodes, *budget_, &line); plies > 0) {
                wins_[here] = {line.front(), plies};
                return plies;
            }
        }
        if (threats == 0) {
            cut_ = true;
            return 0;
        }
        const bool cut_before = cut_;
        cut_ = false;
        Moves& moves = attacks_[threats];
        moves.clear();
        if (answer.kind == Answer::kForced) {
            moves.push_back({answer.cell, 0});
        } else {
            board_.forcing(colour_, moves);
            board_.threes(colour_, moves);
            sort_cells(moves);
        }
        for (size_t i = 0; i < moves.size(); ++i) {
            const int cell = moves[i].cell;
            board_.place(cell, colour_);
            const int plies = defend(threats);
            board_.remove(cell);
            if (plies > 0) {
                wins_[here] = {cell, plies + 1};
                return plies + 1;
            }
            if (exhausted_) return 0;
        }
        losses_[here] = {threats, cut_};
        cut_ = cut_ || cut_before;
        return 0;
    }

    // Plies in which the attacker wins against every answer to its last move; 0 if one holds.
    int defend(int threats) {
        const int other = colour_ ^ 1;
        if (board_.win(other) >= 0) return 0;
        const Answer answer = board_.answer(other);
        if (answer.kind == Answer::kLost) return 2;
        Moves& moves = answers_[threats];
        moves.clear();
        if (answer.kind == Answer::kForced) {
            moves.push_back({answer.cell, 0});
        } else if (!board_.defences(other, moves)) {
            return 0;
        }
        int longest = 0;
        for (size_t i = 0; i < moves.size(); ++i) {
            const int cell = moves[i].cell;
            board_.place(cell, other);
            const int plies = attack(threats - 1);
            board_.remove(cell);
            if (plies == 0) return 0;
            longest = std::max(longest, plies + 1);
        }
        return longest;
    }

    // Follows the wins found.
    void find_line() {
        line_.clear();
        const int other = colour_ ^ 1;
        while (true) {
            const auto known = wins_.find(key());
            if (known == wins_.end()) {
                std::vector<int> rest;
                fours_.solve(colour_, kLongest, 10 * kFourNodes, *budget_, &rest);
                line_.insert(line_.end(), rest.begin(), rest.end());
                break;
            }
            play(known->second.move, colour_);
            Moves moves;
            const Answer answer = board_.answer(other);
            if (answer.kind != Answer::kFree) {
                moves.push_back({answer.kind == Answer::kForced ? answer.cell : board_.hold_out(other), 0});
            } else {
                board_.defences(other, moves);
            }
            int longest = -1, reply = -1;
            for (const RankedCell& move : moves) {
                board_.place(move.cell, other);
                const int plies = known_plies();
                board_.remove(move.cell);
                if (plies > longest) {
                    longest = plies;
                    reply = move.cell;
                }
            }
            if (reply < 0) break;
            play(reply, other);
        }
        for (size_t i = played_; i > 0; --i) board_.remove(line_[i - 1]);
        played_ = 0;
    }

    void play(int cell, int colour) {
        line_.push_back(cell);
        board_.place(cell, colour);
        ++played_;
    }

    int known_plies() const {
        if (board_.win(colour_) >= 0) return 1;
        const auto known = wins_.find(key());
        return known == wins_.end() ? 3 : known->second.plies;
    }

    Board& board_;
    ForcingSolver<Board>& fours_;
    int colour_ = 0;
    Budget* budget_ = nullptr;
    bool exhausted_ = false, cut_ = false;
    size_t played_ = 0;  // moves of the line that are on the board
    std::unordered_map<uint64_t, Win> wins_;
    std::unordered_map<uint64_t, Loss> losses_;
    std::vector<int> line_;
    std::vector<Moves> attacks_, answers_;  // by threats left
};

}  // namespace zp
