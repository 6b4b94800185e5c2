// Alpha-beta search of boards with threats (forcing.hpp): an answer to a threat is forced and costs no depth,
// continuous threats are read out at every node, and only the most urgent of the other moves are searched.
//
// Not the value of full-width search: `engine` plays to win. Scores are points for the side to move, or decided:
// kForcedWin less the plies to the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "chance.hpp"
#include "forcing.hpp"
#include "forcing_solver.hpp"
#include "threat_solver.hpp"
#include "transposition_table.hpp"

namespace zp {

constexpr int kForcedWin = 1 << 20;
constexpr int kForcedDecided = kForcedWin - 4096;  // at least this far from 0 if won or lost
constexpr int kNotSearched = -2 * kForcedWin;

struct ForcingReport {
    int score = 0;
    int others = 0;  // at least the score of moves that were not searched
    int depth = 0;   // the last finished iteration; 0 if the move was found without one
    uint64_t nodes = 0;
};

template <class Board>
class ForcingEngine {
  public:
    ForcingEngine(Board& board, int log2_entries)
        : board_(board),
          solver_(board),
          table_(size_t{1} << log2_entries),
          mask_((uint64_t{1} << log2_entries) - 1),
          frames_(kMostPlies + 1),
          killers_(kMostPlies + 1, -1) {
        table_.new_search();
    }

    // Sets scores[cell] of the moves searched for `colour`, which is on turn; all others are left alone. The best
    // move's score is its value and the only highest one; the others are bounds, unless `all_moves`. The board is left
    // in the middle of a line if a limit was reached.
    ForcingReport run(int colour, int depth, bool all_moves, const ForcingLimits& limits, std::vector<int>& scores) {
        Budget budget(limits);
        budget_ = &budget;
        child_nodes_ = std::max(Board::kInnerForcing,
                                limits.nodes == 0 ? kChildForcing : std::min(kChildForcing, limits.nodes / 200));
        report_ = {};
        ranked_ = false;
        Moves moves;
        const bool forced = root_moves(colour, all_moves, moves);
        try {
            if (all_moves || !solve(colour, moves)) {
                deepen(colour, moves.size() == 1 && !all_moves ? 1 : depth, all_moves, moves);
            }
        } catch (const LimitReached&) {
        }
        for (size_t i = 0; i < moves.size(); ++i) {
            // If not one iteration was finished, the most urgent move is played.
            if (!ranked_) moves[i].rank = -static_cast<int>(i);
            scores[moves[i].cell] = moves[i].rank;
            report_.others = std::min(report_.others, moves[i].rank - 1);
        }
        if (forced) report_.others = std::min(report_.others, -(kForcedWin - 4));
        report_.others = std::max(report_.others, -kForcedWin + 1);
        report_.nodes = budget.nodes();
        return report_;
    }

  private:
    static constexpr int kMostPlies = 128;
    static constexpr uint64_t kRootForcing = 50'000;  // nodes of the solvers at the root,
    static constexpr uint64_t kChildForcing = 2'000;  // and, at most a 200th of the limit, after each root move
    static constexpr int kLongest = 64;               // threats in a row

    enum Bound : uint8_t { kExact, kLower, kUpper };
    struct Entry {
        uint64_t key;
        int32_t score;
        int16_t move;
        int8_t depth;
        Bound bound;
        uint32_t generation;
    };

    // The moves to search, best first; returns whether all others lose at once.
    bool root_moves(int colour, bool all_moves, Moves& moves) {
        if (!all_moves) {
            if (const int win = board_.win(colour); win >= 0) {
                moves.push_back({win, 0});
                return false;
            }
            const Answer answer = board_.answer(colour);
            const int cell = answer.kind == Answer::kLost ? board_.hold_out(colour) : answer.cell;
            if (answer.kind != Answer::kFree && cell >= 0) {
                moves.push_back({cell, 0});
                return true;
            }
            if (board_.sure_threat(colour) < 0 && board_.defences(colour, moves)) return true;
        }
        board_.candidates(colour, moves, all_moves ? SIZE_MAX : Board::kRootWidth);
        return false;
    }

    // Looks for a win by threats; if there is one, it gets the only high score.
    bool solve(int colour, Moves& moves) {
        std::vector<int> line;
        int plies = 0;
        if (board_.win(colour) >= 0) {
            plies = 1;
            line = {board_.win(colour)};
        } else {
            budget_->allot(0.25, kRootForcing);
            plies = solver_.solve(colour, kLongest, kRootForcing, *budget_, &line);
            if constexpr (requires { board_.threes(colour, moves); }) {
                if (plies == 0) {
                    ThreatSolver<Board> threats(board_, solver_);
                    budget_->allot(0.15, kRootForcing);
                    plies = threats.solve(colour, kThreatDepth, *budget_);
                    if (plies > 0) line = threats.line();
                }
            }
            budget_->allot(1, UINT64_MAX);
        }
        if (plies == 0) return false;
        report_.score = kForcedWin - plies;
        const int value = board_.value(colour);
        std::erase_if(moves, [&](const RankedCell& move) { return move.cell == line.front(); });
        for (size_t i = 0; i < moves.size(); ++i) moves[i].rank = value - static_cast<int>(i);
        moves.insert(moves.begin(), {line.front(), report_.score});
        return ranked_ = true;
    }

    void deepen(int colour, int deepest, bool all_moves, Moves& moves) {
        Moves now = moves;
        for (int depth = 1; depth <= deepest; ++depth) {
            int best = -kForcedWin;
            for (size_t i = 0; i < now.size(); ++i) {
                board_.place(now[i].cell, colour);
                int score;
                if (i == 0 || all_moves) {
                    score = -search(colour ^ 1, -kForcedWin, kForcedWin, depth - 1, 1);
                } else {
                    score = -search(colour ^ 1, -best - 1, -best, depth - 1, 1);
                    if (score > best) score = -search(colour ^ 1, -kForcedWin, -best, depth - 1, 1);
                }
                board_.remove(now[i].cell);
                if (!all_moves && i > 0 && score <= best) score = std::min(score, best - 1);
                now[i].rank = score;
                if (score > best) {
                    best = score;
                    if (!all_moves && i > 0 && ranked_) promote(moves, now[i]);
                }
            }
            if (!all_moves) sort_below_best(now, best);
            std::stable_sort(now.begin(), now.end(),
                             [](const RankedCell& a, const RankedCell& b) { return a.rank > b.rank; });
            moves = now;
            ranked_ = true;
            report_.score = best;
            report_.depth = depth;
            if (std::abs(best) >= kForcedDecided && !all_moves) return;
        }
    }

    // Found during an iteration that may not be finished: `move` is better than all before it.
    void promote(Moves& moves, const RankedCell& move) {
        int highest = -kForcedWin;
        for (const RankedCell& one : moves) highest = std::max(highest, one.rank);
        for (RankedCell& one : moves) {
            if (one.cell == move.cell) one.rank = highest + 1;
        }
    }

    // Moves searched before the best one had scores above the bounds of later ones.
    static void sort_below_best(Moves& moves, int best) {
        size_t last = 0;
        for (size_t i = 0; i < moves.size(); ++i) {
            if (moves[i].rank == best) last = i;
        }
        for (size_t i = 0; i < moves.size(); ++i) {
            if (i != last) moves[i].rank = std::min(moves[i].rank, best - 1);
        }
    }

    int search(int colour, int alpha, int beta, int depth, int ply) {
        budget_->count();
        const int other = colour ^ 1;
        if (board_.full()) return 0;
        if (board_.win(colour) >= 0) return kForcedWin - (ply + 1);
        const Answer answer = board_.answer(colour);
        if (answer.kind == Answer::kLost) return -(kForcedWin - (ply + 2));
        if (ply >= kMostPlies) return board_.value(colour);
        if (answer.kind == Answer::kForced) {
            board_.place(answer.cell, colour);
            const int score = -search(other, -beta, -alpha, depth, ply + 1);
            board_.remove(answer.cell);
            return score;
        }
        if (board_.sure_threat(colour) >= 0) return kForcedWin - (ply + 3);
        const int soonest = kForcedWin - (ply + 5);
        if (alpha >= soonest) return soonest;

        const uint64_t key = board_.key() ^ mix(static_cast<uint64_t>(colour) + 1);
        Entry& entry = table_[key & mask_];
        int first = -1;
        if (entry.key == key && entry.generation == table_.generation()) {
            const int score = from_table(entry.score, ply);
            if (entry.depth >= depth && (entry.bound == kExact || (entry.bound == kLower && score >= beta) ||
                                         (entry.bound == kUpper && score <= alpha))) {
                return score;
            }
            first = entry.move;
        }
        if (first < 0 && board_.can_force(colour)) {
            const uint64_t nodes = ply == 1 ? child_nodes_ : depth > 0 ? Board::kInnerForcing : Board::kLeafForcing;
            const int plies = solver_.solve(colour, kLongest, nodes, *budget_);
            if (plies > 0) {
                const int score = kForcedWin - (ply + plies);
                entry = {key, to_table(score, ply), -1, 127, kExact, table_.generation()};
                return score;
            }
        }
        Moves& moves = frames_[ply];
        moves.clear();
        const bool defending = board_.defences(colour, moves);
        if (depth <= 0 && !(defending && depth > -2)) return board_.value(colour);
        if (!defending) board_.candidates(colour, moves, depth <= 1 ? Board::kLastWidth : Board::kWidth);
        if (moves.empty()) return -(kForcedWin - ply);
        to_front(moves, killers_[ply]);
        to_front(moves, first);

        const int floor = alpha;
        int best = -kForcedWin, best_move = -1;
        for (size_t i = 0; i < moves.size(); ++i) {
            const int cell = moves[i].cell;
            board_.place(cell, colour);
            int score;
            if (i == 0) {
                score = -search(other, -beta, -alpha, depth - 1, ply + 1);
            } else {
                const int reduced =
                    !defending && depth >= 3 && i >= Board::kReduced ? (i >= 3 * Board::kReduced ? 2 : 1) : 0;
                score = -search(other, -alpha - 1, -alpha, depth - 1 - reduced, ply + 1);
                if (score > alpha && reduced > 0) score = -search(other, -alpha - 1, -alpha, depth - 1, ply + 1);
                if (score > alpha && score < beta) score = -search(other, -beta, -alpha, depth - 1, ply + 1);
            }
            board_.remove(cell);
            if (score > best) {
                best = score;
                best_move = cell;
            }
            alpha = std::max(alpha, best);
            if (alpha >= beta) {
                killers_[ply] = cell;
                break;
            }
        }
        const Bound bound = best >= beta ? kLower : best <= floor ? kUpper : kExact;
        entry = {key,   to_table(best, ply), static_cast<int16_t>(best_move), static_cast<int8_t>(std::max(depth, -1)),
                 bound, table_.generation()};
        return best;
    }

    static void to_front(Moves& moves, int cell) {
        const auto at =
            std::find_if(moves.begin(), moves.end(), [&](const RankedCell& one) { return one.cell == cell; });
        if (at != moves.end()) std::rotate(moves.begin(), at, at + 1);
    }

    // Decided scores count plies from the root in the search, from the position in the table.
    static int to_table(int score, int ply) {
        return score >= kForcedDecided ? score + ply : score <= -kForcedDecided ? score - ply : score;
    }
    static int from_table(int score, int ply) {
        return score >= kForcedDecided ? score - ply : score <= -kForcedDecided ? score + ply : score;
    }

    static constexpr int kThreatDepth = 8;  // threats in a row at the root, beside fours

    Board& board_;
    ForcingSolver<Board> solver_;
    TranspositionTable<Entry> table_;
    uint64_t mask_;
    std::vector<Moves> frames_;  // by ply
    std::vector<int> killers_;   // the last move that failed high, by ply
    Budget* budget_ = nullptr;
    uint64_t child_nodes_ = 0;  // of the solver after each root move
    ForcingReport report_;
    bool ranked_ = false;  // whether the root moves have scores
};

}  // namespace zp
