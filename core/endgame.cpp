#include "endgame.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <limits>
#include <utility>

#include "flips.hpp"
#include "images.hpp"
#include "othello.hpp"
#include "stability.hpp"
#include "transposition_table.hpp"

namespace zp {
namespace {

constexpr uint64_t kBoard = ~uint64_t{0};
constexpr uint64_t kCorners = 0x8100000000000081;
constexpr int kNoMove = 64;

// The number of empty squares from which each technique is used.
constexpr int kTableFrom = 8;
constexpr int kStabilityFrom = 6;
constexpr int kEvaluationFrom = 12;

// The opponent's stable discs are counted only if alpha is at least this, by number of empty squares.
constexpr int stability_threshold(int empties) { return empties < 9 ? 30 : empties < 13 ? 20 : empties < 17 ? 8 : -8; }

// The four quadrants of the board. By parity, moves into a quadrant with an odd number of empty squares are better.
constexpr uint64_t kQuadrants[4] = {0x000000000F0F0F0F, 0x00000000F0F0F0F0, 0x0F0F0F0F00000000, 0xF0F0F0F000000000};

uint64_t odd_quadrants(uint64_t empty) {
    uint64_t odd = 0;
    for (const uint64_t quadrant : kQuadrants) odd |= std::popcount(empty & quadrant) & 1 ? quadrant : 0;
    return odd;
}

int final_score(uint64_t own, uint64_t opponent) {
    const int mine = std::popcount(own), theirs = std::popcount(opponent);
    return mine == theirs ? 0 : mine > theirs ? 64 - 2 * theirs : 2 * mine - 64;
}

int solve1(uint64_t own, int square) {
    const int mine = 2 * std::popcount(own);
    if (const int flipped = last_flips_twice(own, square)) return mine + flipped + 2 - 64;
    const uint64_t opponent = ~own & ~(uint64_t{1} << square);
    if (const int flipped = last_flips_twice(opponent, square)) return mine - flipped - 64;
    return mine > 63 ? mine + 2 - 64 : mine - 64;
}

struct Entry {
    uint64_t own = 0, opponent = 0;
    int8_t low = -64, high = 64;
    uint8_t move = kNoMove, empties = 0;
    uint32_t generation = 0;  // of the call that stored it
};

}  // namespace

class EndgameSolver::Search {
  public:
    Search(const PatternEvaluation* evaluation, int log2_entries)
        : evaluation_(evaluation), table_(size_t{1} << log2_entries), log2_entries_(log2_entries) {}

    Solution run(uint64_t own, uint64_t opponent, int alpha, int beta, const SolveLimits& limits, int log2_entries);

  private:
    struct Move {
        uint64_t own, opponent;  // after the move, seen by the other side
        int square;
        int order;
    };

    struct LimitReached {};

    int solve2(uint64_t own, uint64_t opponent, int alpha, int first, int second);
    int solve3(uint64_t own, uint64_t opponent, int alpha, int a, int b, int c);
    int solve4(uint64_t own, uint64_t opponent, int alpha);
    int null_window_by_parity(uint64_t own, uint64_t opponent, int alpha, int empties);
    int null_window_with_table(uint64_t own, uint64_t opponent, int alpha, int empties);
    int null_window(uint64_t own, uint64_t opponent, int alpha, int empties) {
        return empties <= 4           ? solve_up_to_4(own, opponent, alpha, empties)
               : empties < kTableFrom ? null_window_by_parity(own, opponent, alpha, empties)
                                      : null_window_with_table(own, opponent, alpha, empties);
    }
    int solve_up_to_4(uint64_t own, uint64_t opponent, int alpha, int empties);
    int principal_variation(uint64_t own, uint64_t opponent, int alpha, int beta, int empties, int* best_move);

    int order_moves(uint64_t own, uint64_t opponent, uint64_t moves, int empties, int table_move, Move* list);
    int pattern_search(uint64_t own, uint64_t opponent, const PatternTrace& trace, int alpha, int beta, int depth);

    Entry& entry(uint64_t own, uint64_t opponent) {
        return table_[(own * 0x9E3779B97F4A7C15 ^ std::rotl(opponent * 0xD1B54A32D192ED03, 32)) * 0xBF58476D1CE4E5B9 >>
                      shift_];
    }
    bool holds(const Entry& e, uint64_t own, uint64_t opponent) const {
        return e.own == own && e.opponent == opponent && e.generation == table_.generation();
    }
    void store(uint64_t own, uint64_t opponent, int alpha, int beta, int score, int move, int empties);

    // Endings of four empty squares or fewer count their own nodes and are always finished.
    void count_node() {
        if (++nodes_ > max_nodes_) throw LimitReached{};
    }

    // Called at every node with a table and in every pattern search, so that checks are at most about 1 ms apart.
    void check_limits() {
        if ((++checks_ & 63) != 0) return;
        Interrupt::check(limits_.interrupt);
        if (limits_.seconds > 0) {
            const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - started_;
            if (spent.count() > limits_.seconds) throw LimitReached{};
        }
    }

    const PatternEvaluation* evaluation_;
    TranspositionTable<Entry> table_;
    int log2_entries_, shift_ = 63;
    SolveLimits limits_;
    uint64_t nodes_ = 0, max_nodes_ = 0, checks_ = 0;
    std::chrono::steady_clock::time_point started_;
};

int EndgameSolver::Search::solve2(uint64_t own, uint64_t opponent, int alpha, int first, int second) {
    ++nodes_;
    int best = -64;
    bool moved = false;
    for (const auto& [square, other] : {std::pair{first, second}, std::pair{second, first}}) {
        if (!(kBeside[square] & opponent)) continue;
        const uint64_t flipped = flips_at(own, opponent, square);
        if (flipped == 0) continue;
        moved = true;
        best = std::max(best, -solve1(opponent ^ flipped, other));
        if (best > alpha) return best;
    }
    if (moved) return best;
    // The opponent's turn.
    int worst = 64;
    for (const auto& [square, other] : {std::pair{first, second}, std::pair{second, first}}) {
        if (!(kBeside[square] & own)) continue;
        const uint64_t flipped = flips_at(opponent, own, square);
        if (flipped == 0) continue;
        moved = true;
        worst = std::min(worst, solve1(own ^ flipped, other));
        if (worst <= alpha) return worst;
    }
    return moved ? worst : final_score(own, opponent);
}

int EndgameSolver::Search::solve3(uint64_t own, uint64_t opponent, int alpha, int a, int b, int c) {
    ++nodes_;
    int best = -64;
    bool moved = false;
    const std::array<std::array<int, 3>, 3> orders = {{{a, b, c}, {b, a, c}, {c, a, b}}};
    for (const auto& [square, x, y] : orders) {
        if (!(kBeside[square] & opponent)) continue;
        const uint64_t flipped = flips_at(own, opponent, square);
        if (flipped == 0) continue;
        moved = true;
        const uint64_t mine = own ^ flipped ^ uint64_t{1} << square;
        best = std::max(best, -solve2(opponent ^ flipped, mine, -alpha - 1, x, y));
        if (best > alpha) return best;
    }
    if (moved) return best;
    int worst = 64;
    for (const auto& [square, x, y] : orders) {
        if (!(kBeside[square] & own)) continue;
        const uint64_t flipped = flips_at(opponent, own, square);
        if (flipped == 0) continue;
        moved = true;
        const uint64_t theirs = opponent ^ flipped ^ uint64_t{1} << square;
        worst = std::min(worst, solve2(own ^ flipped, theirs, alpha, x, y));
        if (worst <= alpha) return worst;
    }
    return moved ? worst : final_score(own, opponent);
}

int EndgameSolver::Search::solve4(uint64_t own, uint64_t opponent, int alpha) {
    ++nodes_;
    const uint64_t empty = ~(own | opponent);
    // Squares alone in their quadrant first, then pairs.
    const uint64_t odd = odd_quadrants(empty);
    std::array<int, 4> squares;
    int n = 0;
    for (uint64_t rest = empty & odd; rest != 0; rest &= rest - 1) squares[n++] = std::countr_zero(rest);
    for (uint64_t rest = empty & ~odd; rest != 0; rest &= rest - 1) squares[n++] = std::countr_zero(rest);
    int best = -64;
    bool moved = false;
    for (int i = 0; i < 4; ++i) {
        const int square = squares[i];
        if (!(kBeside[square] & opponent)) continue;
        const uint64_t flipped = flips_at(own, opponent, square);
        if (flipped == 0) continue;
        moved = true;
        std::array<int, 3> others;
        for (int j = 0, k = 0; j < 4; ++j) {
            if (j != i) others[k++] = squares[j];
        }
        const uint64_t mine = own ^ flipped ^ uint64_t{1} << square;
        best = std::max(best, -solve3(opponent ^ flipped, mine, -alpha - 1, others[0], others[1], others[2]));
        if (best > alpha) return best;
    }
    if (moved) return best;
    if (othello64::legal(opponent, own, kBoard) == 0) return final_score(own, opponent);
    return -solve4(opponent, own, -alpha - 1);
}

int EndgameSolver::Search::solve_up_to_4(uint64_t own, uint64_t opponent, int alpha, int empties) {
    std::array<int, 4> squares;
    int n = 0;
    for (uint64_t rest = ~(own | opponent); rest != 0; rest &= rest - 1) squares[n++] = std::countr_zero(rest);
    switch (empties) {
        case 0:
            return final_score(own, opponent);
        case 1:
            return solve1(own, squares[0]);
        case 2:
            return solve2(own, opponent, alpha, squares[0], squares[1]);
        case 3:
            return solve3(own, opponent, alpha, squares[0], squares[1], squares[2]);
        default:
            return solve4(own, opponent, alpha);
    }
}

int EndgameSolver::Search::null_window_by_parity(uint64_t own, uint64_t opponent, int alpha, int empties) {
    count_node();
    if (empties >= kStabilityFrom && alpha >= stability_threshold(empties)) {
        const int bound = 64 - 2 * std::popcount(stable_discs(opponent, own));
        if (bound <= alpha) return bound;
    }
    const uint64_t moves = othello64::legal(own, opponent, kBoard);
    if (moves == 0) {
        if (othello64::legal(opponent, own, kBoard) == 0) return final_score(own, opponent);
        return -null_window_by_parity(opponent, own, -alpha - 1, empties);
    }
    int best = -64;
    const uint64_t odd = odd_quadrants(~(own | opponent));
    for (uint64_t some :
         {moves & odd & kCorners, moves & odd & ~kCorners, moves & ~odd & kCorners, moves & ~odd & ~kCorners}) {
        for (; some != 0; some &= some - 1) {
            const int square = std::countr_zero(some);
            const uint64_t flipped = flips_at(own, opponent, square);
            const uint64_t mine = own ^ flipped ^ (some & -some), theirs = opponent ^ flipped;
            if (theirs == 0) return 64;
            best = std::max(best, empties == 5 ? -solve4(theirs, mine, -alpha - 1)
                                               : -null_window_by_parity(theirs, mine, -alpha - 1, empties - 1));
            if (best > alpha) return best;
        }
    }
    return best;
}

// Value for the side to move in 1/128 disc, by a shallow alpha-beta search of the pattern evaluation.
int EndgameSolver::Search::pattern_search(uint64_t own, uint64_t opponent, const PatternTrace& trace, int alpha,
                                          int beta, int depth) {
    const int empties = std::popcount(~(own | opponent));
    if (depth == 0) return evaluation_->value(trace, empties);
    check_limits();
    const uint64_t moves = othello64::legal(own, opponent, kBoard);
    if (moves == 0) {
        if (othello64::legal(opponent, own, kBoard) == 0) return 128 * final_score(own, opponent);
        return -pattern_search(opponent, own, trace.passed(), -beta, -alpha, depth);
    }
    int best = -1 << 20;
    for (uint64_t rest = moves; rest != 0; rest &= rest - 1) {
        const int square = std::countr_zero(rest);
        const uint64_t flipped = flips_at(own, opponent, square);
        const int value = depth == 1
                              ? -evaluation_->value_after(trace, square, flipped, false, empties - 1)
                              : -pattern_search(opponent ^ flipped, own ^ flipped ^ (rest & -rest),
                                                trace.after(square, flipped), -beta, -std::max(alpha, best), depth - 1);
        best = std::max(best, value);
        if (best >= beta) break;
    }
    return best;
}

int EndgameSolver::Search::order_moves(uint64_t own, uint64_t opponent, uint64_t moves, int empties, int table_move,
                                       Move* list) {
    const uint64_t odd = odd_quadrants(~(own | opponent));
    const int depth = evaluation_ == nullptr || empties < kEvaluationFrom ? -1
                      : empties < 15                                      ? 0
                      : empties < 18                                      ? 1
                                                                          : 2;
    const PatternTrace trace = depth >= 0 ? PatternTrace::of(own, opponent) : PatternTrace{};
    int n = 0;
    for (uint64_t rest = moves; rest != 0; rest &= rest - 1) {
        const int square = std::countr_zero(rest);
        const uint64_t flipped = flips_at(own, opponent, square);
        Move& move = list[n++];
        move.own = opponent ^ flipped;
        move.opponent = own ^ flipped ^ (rest & -rest);
        move.square = square;
        if (move.own == 0) {
            move.order = 1 << 28;
        } else if (square == table_move) {
            move.order = 1 << 27;
        } else {
            // Fewest replies for the opponent first; corners count twice.
            const uint64_t replies = othello64::legal(move.own, move.opponent, kBoard);
            const int mobility = std::popcount(replies) + std::popcount(replies & kCorners);
            move.order = -mobility * 160;
            if (odd >> square & 1) move.order += empties < 12 ? 80 : 30;
            if (kCorners >> square & 1) move.order += 100;
            if (depth >= 0) {
                move.order -=
                    pattern_search(move.own, move.opponent, trace.after(square, flipped), -1 << 20, 1 << 20, depth);
            }
        }
    }
    std::sort(list, list + n, [](const Move& a, const Move& b) { return a.order > b.order; });
    return n;
}

void EndgameSolver::Search::store(uint64_t own, uint64_t opponent, int alpha, int beta, int score, int move,
                                  int empties) {
    Entry& e = entry(own, opponent);
    if (!holds(e, own, opponent)) e = Entry{own, opponent, -64, 64, kNoMove, 0, table_.generation()};
    e.empties = static_cast<uint8_t>(empties);
    if (score > alpha) e.low = static_cast<int8_t>(std::max<int>(e.low, score));
    if (score < beta) e.high = static_cast<int8_t>(std::min<int>(e.high, score));
    if (score > alpha || e.move == kNoMove) e.move = static_cast<uint8_t>(move);
}

int EndgameSolver::Search::null_window_with_table(uint64_t own, uint64_t opponent, int alpha, int empties) {
    count_node();
    check_limits();
    if (alpha >= stability_threshold(empties)) {
        const int bound = 64 - 2 * std::popcount(stable_discs(opponent, own));
        if (bound <= alpha) return bound;
    }
    int table_move = kNoMove;
    const Entry& known = entry(own, opponent);
    if (holds(known, own, opponent)) {
        if (known.low > alpha) return known.low;
        if (known.high <= alpha) return known.high;
        table_move = known.move;
    }
    const uint64_t moves = othello64::legal(own, opponent, kBoard);
    if (moves == 0) {
        if (othello64::legal(opponent, own, kBoard) == 0) return final_score(own, opponent);
        return -null_window_with_table(opponent, own, -alpha - 1, empties);
    }
    Move list[64];
    const int n = order_moves(own, opponent, moves, empties, table_move, list);
    if (list[0].own == 0) return 64;
    // Enhanced transposition cutoff: a stored bound of a child may already fail high.
    if (empties > kTableFrom + 1) {
        for (int i = 0; i < n; ++i) {
            const Entry& child = entry(list[i].own, list[i].opponent);
            if (holds(child, list[i].own, list[i].opponent) && -child.high > alpha) {
                store(own, opponent, alpha, alpha + 1, -child.high, list[i].square, empties);
                return -child.high;
            }
        }
    }
    int best = -65, best_move = kNoMove;
    for (int i = 0; i < n; ++i) {
        const int score = -null_window(list[i].own, list[i].opponent, -alpha - 1, empties - 1);
        if (score > best) {
            best = score;
            best_move = list[i].square;
            if (best > alpha) break;
        }
    }
    store(own, opponent, alpha, alpha + 1, best, best_move, empties);
    return best;
}

int EndgameSolver::Search::principal_variation(uint64_t own, uint64_t opponent, int alpha, int beta, int empties,
                                               int* best_move) {
    count_node();
    const uint64_t moves = othello64::legal(own, opponent, kBoard);
    if (moves == 0) {
        if (best_move) *best_move = -1;
        if (othello64::legal(opponent, own, kBoard) == 0) return final_score(own, opponent);
        return -principal_variation(opponent, own, -beta, -alpha, empties, nullptr);
    }
    const Entry& known = entry(own, opponent);
    const bool hit = holds(known, own, opponent);
    Move list[64];
    const int n = order_moves(own, opponent, moves, empties, hit ? known.move : kNoMove, list);
    int best = -65, chosen = kNoMove;
    for (int i = 0; i < n; ++i) {
        const int low = std::max(alpha, best);
        int score;
        if (empties <= 4 || list[i].own == 0) {
            // Endings this small need no null windows.
            score = list[i].own == 0
                        ? 64
                        : -principal_variation(list[i].own, list[i].opponent, -beta, -low, empties - 1, nullptr);
        } else if (i == 0) {
            score = -principal_variation(list[i].own, list[i].opponent, -beta, -low, empties - 1, nullptr);
        } else {
            score = -null_window(list[i].own, list[i].opponent, -low - 1, empties - 1);
            if (score > low && score < beta) {
                score = -principal_variation(list[i].own, list[i].opponent, -beta, -score, empties - 1, nullptr);
            }
        }
        if (score > best) {
            best = score;
            chosen = list[i].square;
            if (best >= beta) break;
        }
    }
    if (empties >= kTableFrom) store(own, opponent, alpha, beta, best, chosen, empties);
    if (best_move) *best_move = chosen;
    return best;
}

Solution EndgameSolver::Search::run(uint64_t own, uint64_t opponent, int alpha, int beta, const SolveLimits& limits,
                                    int log2_entries) {
    started_ = std::chrono::steady_clock::now();
    table_.new_search();
    shift_ = 64 - (log2_entries > 0 ? std::min(log2_entries, log2_entries_) : log2_entries_);
    limits_ = limits;
    nodes_ = 0;
    max_nodes_ = limits.nodes != 0 ? limits.nodes : std::numeric_limits<uint64_t>::max();
    Interrupt::check(limits_.interrupt);
    Solution solution;
    const int empties = std::popcount(~(own | opponent));
    try {
        // Aspiration window around the shallow score; a score outside it is searched again on that side.
        int guess = 0;
        if (evaluation_ != nullptr && empties >= kEvaluationFrom) {
            const int value = pattern_search(own, opponent, PatternTrace::of(own, opponent), -1 << 20, 1 << 20,
                                             std::min(6, empties / 3));
            guess = std::clamp((value + (value > 0 ? 128 : -128)) / 256 * 2, -62, 62);
        }
        int low = std::max(alpha, guess - 4), high = std::min(beta, guess + 4);
        if (empties < kEvaluationFrom || evaluation_ == nullptr || low >= high) low = alpha, high = beta;
        for (;;) {
            solution.score = principal_variation(own, opponent, low, high, empties, &solution.move);
            if (solution.score <= low && low > alpha) {
                high = low;
                low = alpha;
            } else if (solution.score >= high && high < beta) {
                low = high;
                high = beta;
            } else {
                break;
            }
            // The bound itself may be the score.
            low = std::max(alpha, low - 1);
            high = std::min(beta, high + 1);
        }
        solution.complete = true;
    } catch (const LimitReached&) {
        solution = {};
    }
    solution.nodes = nodes_;
    return solution;
}

EndgameSolver::EndgameSolver(const PatternEvaluation* evaluation, int log2_entries)
    : search_(std::make_unique<Search>(evaluation, log2_entries)) {}

EndgameSolver::~EndgameSolver() = default;

Solution EndgameSolver::solve(uint64_t own, uint64_t opponent, int alpha, int beta, const SolveLimits& limits,
                              int log2_entries) {
    return search_->run(own, opponent, alpha, beta, limits, log2_entries);
}

}  // namespace zp
