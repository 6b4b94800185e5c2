#include "forcing_search.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "capture_board.hpp"
#include "forcing_engine.hpp"
#include "forcing_solver.hpp"
#include "gomoku_board.hpp"
#include "threads.hpp"
#include "threat_solver.hpp"

namespace zp {
namespace {

constexpr int kTableEntries = 17;   // log2, of the engine
constexpr int kSolverEntries = 20;  // and of the solver

// What the core's batches say of their positions.
struct Boards {
    explicit Boards(const Batch& batch)
        : cells(batch.cells()),
          size(batch.size()),
          stones(batch.length() * cells),
          legal(batch.length() * cells),
          mover(batch.length()),
          over(batch.length()),
          score(batch.length()),
          move_number(batch.length()) {
        batch.stones(stones.data());
        batch.legal(legal.data());
        batch.mover(mover.data());
        batch.over(over.data());
        batch.score(score.data());
        batch.move_number(move_number.data());
    }

    int cells, size;
    std::vector<int8_t> stones;
    std::vector<uint8_t> legal, mover, over;
    std::vector<int32_t> score, move_number;
};

// Calls visit(make) with a function that makes the board of a position.
template <class F>
void with_boards(const Boards& boards, ThreatRules rules, F&& visit) {
    const auto stones = [&](int64_t i) { return boards.stones.data() + i * boards.cells; };
    if (rules != ThreatRules::kCaptures) {
        return visit([&](int64_t i) { return GomokuBoard(boards.size, rules == ThreatRules::kExactFives, stones(i)); });
    }
    if (boards.cells <= 64) return visit([&](int64_t i) { return CaptureBoard<1>(boards.size, stones(i)); });
    if (boards.cells <= 128) return visit([&](int64_t i) { return CaptureBoard<2>(boards.size, stones(i)); });
    visit([&](int64_t i) { return CaptureBoard<6>(boards.size, stones(i)); });
}

// A score of the engine as search.hpp scores: a win after more moves is worth less.
float as_float(int score, int move_number) {
    constexpr float kWin = 0x1.0p30f, kMove = 0x1.0p10f;
    if (std::abs(score) < kForcedDecided) return static_cast<float>(score);
    const int plies = kForcedWin - std::abs(score);
    const float value = kWin - kMove * static_cast<float>(move_number + plies);
    return score > 0 ? value : -value;
}

}  // namespace

void search_threats(const Batch& batch, ThreatRules rules, const EngineOptions& options, float* preferences,
                    float* scores, int32_t* depths, uint64_t* nodes) {
    const Boards boards(batch);
    const auto search = [&](const auto& make) {
        parallel_for(
            batch.length(), 1,
            [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) {
                    float* row = preferences + i * boards.cells;
                    std::fill_n(row, boards.cells, -std::numeric_limits<float>::infinity());
                    const int mover = boards.mover[i], number = boards.move_number[i];
                    depths[i] = 0;
                    nodes[i] = 0;
                    if (boards.over[i]) {
                        const int result = boards.score[i] * (mover == 0 ? 1 : -1);
                        scores[i] = result == 0 ? 0 : as_float(result * kForcedWin, number);
                        continue;
                    }
                    auto board = make(i);
                    ForcingEngine engine(board, kTableEntries);
                    std::vector<int> found(boards.cells, kNotSearched);
                    const ForcingReport report =
                        engine.run(mover, options.depth, options.all_moves, options.limits, found);
                    for (int cell = 0; cell < boards.cells; ++cell) {
                        if (!boards.legal[i * boards.cells + cell]) continue;
                        row[cell] = as_float(found[cell] == kNotSearched ? report.others : found[cell], number);
                    }
                    scores[i] = as_float(report.score, number);
                    depths[i] = report.depth;
                    nodes[i] = report.nodes;
                }
            },
            options.limits.interrupt);
    };
    with_boards(boards, rules, search);
}

void find_forced_wins(const Batch& batch, ThreatRules rules, bool strongest_only, const ForcingLimits& limits,
                      int32_t* plies, int32_t* lines, uint64_t* nodes, uint8_t* complete) {
    const Boards boards(batch);
    std::fill_n(lines, batch.length() * boards.cells, -1);
    const auto find = [&](const auto& make) {
        const auto one = [&](int64_t i) {
            const int mover = boards.mover[i];
            plies[i] = 0;
            nodes[i] = 0;
            complete[i] = true;
            if (boards.over[i]) return;
            // Each of two searches gets half of the limits.
            ForcingLimits half = limits;
            if (!strongest_only) {
                half.seconds /= 2;
                half.nodes = (half.nodes + 1) / 2;
            }
            std::vector<int> line;
            const auto attempt = [&](const auto& solve) {
                Budget budget(half);
                try {
                    auto board = make(i);
                    ForcingSolver solver(board, kSolverEntries);
                    plies[i] = solve(board, solver, budget);
                } catch (const LimitReached&) {
                    plies[i] = 0;
                    complete[i] = false;
                }
                nodes[i] += budget.nodes();
            };
            attempt([&](auto&, auto& solver, Budget& budget) {
                return solver.solve(mover, boards.cells, UINT64_MAX, budget, &line);
            });
            if (plies[i] == 0 && !strongest_only) {
                attempt([&](auto& board, auto& solver, Budget& budget) {
                    if constexpr (requires(Moves moves) { board.threes(mover, moves); }) {
                        ThreatSolver threats(board, solver);
                        const int found = threats.solve(mover, boards.cells, budget);
                        line = threats.line();
                        return found;
                    } else {
                        return 0;
                    }
                });
            }
            if (plies[i] == 0) return;
            complete[i] = true;
            const auto length = std::min(line.size(), static_cast<size_t>(boards.cells));
            std::copy_n(line.begin(), length, lines + i * boards.cells);
        };
        parallel_for(
            batch.length(), 1,
            [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) one(i);
            },
            limits.interrupt);
    };
    with_boards(boards, rules, find);
}

}  // namespace zp
