#include "endgame.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "endgame_last.hpp"
#include "endgame_moves.hpp"
#include "endgame_table.hpp"
#include "endgame_team.hpp"
#include "othello.hpp"
#include "threads.hpp"

namespace zp {
namespace {

constexpr uint64_t kBoard = ~uint64_t{0};

// The number of empty squares from which each technique is used.
constexpr int kSharedTableFrom = 11;
constexpr int kEvaluationFrom = 12;
constexpr int kSplitFrom = 14;

// The table of the positions with fewer empty squares. Each thread has one, small enough for its cache.
constexpr int kLocalLog2Entries = 13;

// The depth of the search that orders the moves of the position to be solved.
constexpr int root_depth(int empties) { return empties < 18 ? empties / 3 : std::min(12, empties / 2 - 2); }

// One thread's search.
class Worker {
  public:
    Worker(Team& team, const PatternEvaluation* evaluation, EndgameTable& table, EndgameTable& local)
        : team_(team), watch_(team), table_(table), local_(local) {
        if (evaluation != nullptr) search_.emplace(*evaluation, watch_);
    }

    Solution solve(uint64_t own, uint64_t opponent, int alpha, int beta);

    // Helps in the searches of others until all is finished.
    void help() { help_below(team_.root); }

  private:
    int null_window(const Move& move, int alpha, int empties, uint64_t odd_before) {
        const uint64_t odd = odd_before ^ quadrant_of(move.square);
        return empties <= kLastSquares ? solve_last(move.own, move.opponent, alpha, empties, odd, watch_.count)
                                       : null_window_with_table(move.own, move.opponent, alpha, empties, odd);
    }
    int null_window_with_table(uint64_t own, uint64_t opponent, int alpha, int empties, uint64_t odd);
    int principal_variation(uint64_t own, uint64_t opponent, int alpha, int beta, int empties);
    int root(const std::vector<Move>& moves, int alpha, int beta, int empties, uint64_t odd, int& best_move);

    void share(Split& split);
    void work(Split& split);
    void help_below(Split& split);

    PatternSearch* search() { return search_ ? &*search_ : nullptr; }
    EndgameTable& table(int empties) { return empties >= kSharedTableFrom ? table_ : local_; }

    Team& team_;
    Watch watch_;
    EndgameTable& table_;
    EndgameTable& local_;
    std::optional<PatternSearch> search_;
};

int Worker::null_window_with_table(uint64_t own, uint64_t opponent, int alpha, int empties, uint64_t odd) {
    watch_.count.add();
    watch_.check();
    const uint64_t place = place_of(own, opponent);
    EndgameTable& entries = table(empties);
    entries.prefetch(place);
    const int bound = stability_bound(own, opponent, alpha, empties);
    if (bound <= alpha) return bound;
    const uint64_t moves = othello64::legal(own, opponent, kBoard);
    if (moves == 0) {
        if (othello64::legal(opponent, own, kBoard) == 0) return final_score(own, opponent);
        return -null_window_with_table(opponent, own, -alpha - 1, empties, odd);
    }
    Bounds known;
    if (entries.find(own, opponent, place, known)) {
        if (known.low > alpha) return known.low;
        if (known.high <= alpha) return known.high;
    }
    MoveList list;
    list_moves(own, opponent, moves, empties, odd, known.move, search(), list);
    // Enhanced transposition cutoff: a stored bound of a child may already fail high.
    if (empties > kLastSquares + 2) {
        for (const Move& move : list) {
            Bounds child;
            if (table(empties - 1).find(move.own, move.opponent, place_of(move.own, move.opponent), child) &&
                -child.high > alpha) {
                entries.store(own, opponent, place, -child.high, 64, move.square, empties);
                return -child.high;
            }
        }
    }
    int best = -65, best_move = kNoMove;
    for (int left = list.size(); left > 0; --left) {
        if (best != -65 && left > 1 && empties >= kSplitFrom && team_.wants_work()) {
            Split split;
            split.parent = watch_.split;
            split.moves = &list;
            split.left = left;
            split.alpha = alpha;
            split.empties = empties;
            split.odd = odd;
            split.best = best;
            split.best_move = best_move;
            share(split);
            best = split.best;
            best_move = split.best_move;
            break;
        }
        const Move& move = list.next();
        if (move.own == 0) return 64;
        const int score = -null_window(move, -alpha - 1, empties - 1, odd);
        if (score > best) {
            best = score;
            best_move = move.square;
            if (best > alpha) break;
        }
    }
    entries.store(own, opponent, place, best > alpha ? best : -64, best > alpha ? 64 : best, best_move, empties);
    return best;
}

void Worker::share(Split& split) {
    watch_.split = &split;
    team_.open(split);
    work(split);
    team_.close(split);
    help_below(split);
    watch_.split = split.parent;
    if (split.parent->stopped()) throw Stopped{};
}

void Worker::work(Split& split) {
    try {
        while (const Move* move = team_.take(split)) {
            team_.report(split, *move, -null_window(*move, -split.alpha - 1, split.empties - 1, split.odd));
        }
    } catch (const Stopped&) {
    } catch (...) {
        team_.fail();
    }
}

void Worker::help_below(Split& above) {
    while (Split* split = team_.join(above)) {
        watch_.split = split;
        work(*split);
        watch_.split = &above;
        team_.leave(*split);
    }
}

int Worker::principal_variation(uint64_t own, uint64_t opponent, int alpha, int beta, int empties) {
    watch_.count.add();
    watch_.check();
    const uint64_t moves = othello64::legal(own, opponent, kBoard);
    if (moves == 0) {
        if (othello64::legal(opponent, own, kBoard) == 0) return final_score(own, opponent);
        return -principal_variation(opponent, own, -beta, -alpha, empties);
    }
    Bounds known;
    const uint64_t place = place_of(own, opponent);
    EndgameTable& entries = table(empties);
    if (empties > kLastSquares) entries.find(own, opponent, place, known);
    const uint64_t odd = odd_quadrants(~(own | opponent));
    MoveList list;
    list_moves(own, opponent, moves, empties, odd, known.move, search(), list);
    int best = -65, best_move = kNoMove;
    for (int i = 0; i < list.size(); ++i) {
        const Move& move = list.next();
        const int low = std::max(alpha, best);
        int score = 64;
        if (move.own != 0) {
            // Endings of four empty squares need no null windows.
            const bool open = i == 0 || empties <= 4;
            if (!open) score = -null_window(move, -low - 1, empties - 1, odd);
            if (open || (score > low && score < beta)) {
                score = -principal_variation(move.own, move.opponent, -beta, open ? -low : 1 - score, empties - 1);
            }
        }
        if (score > best) {
            best = score;
            best_move = move.square;
            if (best >= beta) break;
        }
    }
    if (empties > kLastSquares) {
        entries.store(own, opponent, place, best > alpha ? best : -64, best < beta ? best : 64, best_move, empties);
    }
    return best;
}

// The moves in their order, so that of several best moves the first is found, by any number of threads.
int Worker::root(const std::vector<Move>& moves, int alpha, int beta, int empties, uint64_t odd, int& best_move) {
    int best = -65;
    best_move = moves.front().square;
    for (const Move& move : moves) {
        const int low = std::max(alpha, best);
        const bool open = best == -65;
        int score = 64;
        if (move.own != 0) {
            if (!open) score = -null_window(move, -low - 1, empties - 1, odd);
            if (open || (score > low && score < beta)) {
                score = -principal_variation(move.own, move.opponent, -beta, open ? -low : 1 - score, empties - 1);
            }
        }
        if (score > low) best_move = move.square;
        best = std::max(best, score);
        if (best >= beta) break;
    }
    return best;
}

Solution Worker::solve(uint64_t own, uint64_t opponent, int alpha, int beta) {
    const int empties = std::popcount(~(own | opponent));
    const uint64_t legal = othello64::legal(own, opponent, kBoard);
    Solution solution;
    solution.complete = true;
    if (legal == 0) {
        if (othello64::legal(opponent, own, kBoard) == 0) {
            watch_.count.add();
            solution.score = final_score(own, opponent);
            return solution;
        }
        solution = solve(opponent, own, -beta, -alpha);
        solution.score = -solution.score;
        solution.move = -1;
        return solution;
    }
    watch_.count.add();
    const uint64_t odd = odd_quadrants(~(own | opponent));
    std::vector<Move> moves;
    MoveList list;
    list_moves(own, opponent, legal, empties, odd, kNoMove, search(), list);
    for (int i = 0; i < list.size(); ++i) moves.push_back(list.next());
    int low = alpha, high = beta;
    if (search_ && empties >= kEvaluationFrom) {
        const auto ranked = search_->root(own, opponent, root_depth(empties));
        const int value = ranked.front().value;
        if (value == kWipeout && beta <= 64) {
            solution.score = beta;
            solution.move = ranked.front().square;
            return solution;
        }
        std::stable_sort(moves.begin(), moves.end(), [&](const Move& a, const Move& b) {
            const auto rank = [&](const Move& move) {
                return std::find_if(ranked.begin(), ranked.end(),
                                    [&](const auto& one) { return one.square == move.square; });
            };
            return rank(a) < rank(b);
        });
        // Aspiration window around the shallow score.
        const int guess = std::clamp((value + (value > 0 ? 128 : -128)) / 256 * 2, -62, 62);
        low = std::max(alpha, guess - 3), high = std::min(beta, guess + 3);
        if (low >= high) low = alpha, high = beta;
    }
    // A score outside the window is a bound, and may be the score: the next window begins there.
    for (int width = 4;; width *= 2) {
        solution.score = root(moves, low, high, empties, odd, solution.move);
        if (solution.score <= low && low > alpha) {
            high = solution.score + 1;
            low = std::max(alpha, solution.score - width);
        } else if (solution.score >= high && high < beta) {
            low = solution.score - 1;
            high = std::min(beta, solution.score + width);
        } else {
            break;
        }
    }
    solution.score = std::clamp(solution.score, alpha, beta);
    return solution;
}

}  // namespace

EndgameSolver::EndgameSolver(const PatternEvaluation* evaluation, int log2_entries)
    : evaluation_(evaluation), log2_entries_(log2_entries), local_(std::make_unique<EndgameTable>(kLocalLog2Entries)) {}

EndgameSolver::~EndgameSolver() = default;

Solution EndgameSolver::solve(uint64_t own, uint64_t opponent, int alpha, int beta, const SolveLimits& limits,
                              int log2_entries, int threads) {
    const int log2_used = log2_entries > 0 ? std::min(log2_entries, log2_entries_) : log2_entries_;
    local_->new_search(std::min(log2_used, kLocalLog2Entries));
    const bool shares = std::popcount(~(own | opponent)) >= kSharedTableFrom;
    if (shares && !table_) table_ = std::make_unique<EndgameTable>(log2_entries_);
    if (shares) table_->new_search(log2_used);
    EndgameTable& table = shares ? *table_ : *local_;
    Interrupt::check(limits.interrupt);
    Team team(limits);
    Solution solution;
    const auto lead = [&] {
        try {
            solution = Worker(team, evaluation_, table, *local_).solve(own, opponent, alpha, beta);
        } catch (...) {
            team.fail();
        }
        team.finish();
    };
    const auto caller = std::this_thread::get_id();
    bool led = false;  // by the calling thread, which alone may look for interrupts
    parallel_for(threads, 1, [&](int64_t, int64_t) {
        if (std::this_thread::get_id() != caller) {
            EndgameTable local(kLocalLog2Entries);
            local.new_search(std::min(log2_used, kLocalLog2Entries));
            Worker(team, evaluation_, table, local).help();
        } else if (!std::exchange(led, true)) {
            lead();
        }
    });
    try {
        team.rethrow();
    } catch (const LimitReached&) {
        solution = {};
    } catch (const NodesSpent&) {
        solution = {};
    }
    solution.nodes = team.nodes;
    return solution;
}

}  // namespace zp
