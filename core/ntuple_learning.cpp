#include "ntuple_learning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include "chance.hpp"
#include "othello.hpp"
#include "threads.hpp"

namespace zp {
namespace {

constexpr double kWon = 1e60;  // a finished game counts more than any sum

// Random draws of one game: three per ply.
enum Purpose : uint64_t { kExplore, kRandomMove, kTie, kPurposes };

uint64_t bits_for(uint64_t key, int ply, Purpose purpose) {
    return draw(key, static_cast<uint64_t>(ply) * kPurposes + purpose);
}

void play_randomly(const Othello& rules, Othello::State& state, uint64_t bits) {
    const auto moves = rules.legal(state);
    rules.play(state, moves.nth(static_cast<int>(below(bits, static_cast<uint32_t>(moves.count())))));
}

// Discs of the side that has just moved, and of the other.
std::pair<uint64_t, uint64_t> seen_by(int colour, const Othello::State& state) {
    return state.mover == colour ? std::pair{state.own, state.opponent} : std::pair{state.opponent, state.own};
}

int outcome_for(int colour, const Othello& rules, const Othello::State& state) {
    const int score = rules.score(state) * (colour == kBlack ? 1 : -1);
    return (score > 0) - (score < 0);
}

// Plays the move that is best one ply ahead; ties are broken at random.
void play_greedily(const Othello& rules, const TupleShape& shape, const float* weights, Othello::State& state,
                   uint64_t tie) {
    const int colour = state.mover;
    double best = -std::numeric_limits<double>::infinity();
    Bits<1> equal;
    rules.legal(state).for_each([&](int bit) {
        Othello::State after = state;
        rules.play(after, bit);
        const auto [own, opponent] = seen_by(colour, after);
        const double value =
            after.over ? kWon * outcome_for(colour, rules, after) : shape.value(weights, own, opponent);
        if (value < best) return;
        if (value > best) equal = {};
        best = value;
        equal.set(bit);
    });
    rules.play(state, equal.nth(static_cast<int>(below(tie, static_cast<uint32_t>(equal.count())))));
}

// A board after a move, seen by the side that made it.
struct Step {
    uint64_t own, opponent;
    int colour;
    bool explored;  // the move was random
};

struct Episode {
    std::vector<Step> steps;
    int result = 0;  // of the game, for the colour of the last step
};

Episode play_episode(const Othello& rules, const TupleShape& shape, const float* weights, uint64_t key,
                     const TdSettings& settings) {
    Episode episode;
    episode.steps.reserve(64);
    Othello::State state = rules.start();
    for (int ply = 0; !state.over; ++ply) {
        const int colour = state.mover;
        const bool random = ply < settings.plies || unit(bits_for(key, ply, kExplore)) < settings.epsilon;
        if (random) {
            play_randomly(rules, state, bits_for(key, ply, kRandomMove));
        } else {
            play_greedily(rules, shape, weights, state, bits_for(key, ply, kTie));
        }
        const auto [own, opponent] = seen_by(colour, state);
        episode.steps.push_back({own, opponent, colour, random});
    }
    episode.result = outcome_for(episode.steps.back().colour, rules, state);
    return episode;
}

// TD(lambda) by returns, from the last board to the first. Nothing is learned from the successor of a random move.
void learn_from(const Episode& episode, const TupleShape& shape, float* weights, const TdSettings& settings,
                TdReport& report) {
    const auto& steps = episode.steps;
    double target = episode.result;
    for (size_t t = steps.size(); t-- > 0;) {
        const Step& step = steps[t];
        const double value = std::tanh(shape.value(weights, step.own, step.opponent));
        const bool learns = t + 1 == steps.size() || !steps[t + 1].explored;
        if (learns) {
            const double error = target - value;
            report.squared_error += error * error;
            ++report.boards;
            const auto change = static_cast<float>(settings.rate * error * (1 - value * value));
            shape.add(weights, step.own, step.opponent, change);
        }
        if (t == 0) break;
        const double next = learns ? (1 - settings.lambda) * value + settings.lambda * target : value;
        target = steps[t - 1].colour == step.colour ? next : -next;
    }
}

}  // namespace

TupleShape::TupleShape(const std::vector<std::vector<int>>& squares, const std::vector<int>& tables) {
    if (squares.size() != tables.size()) throw std::invalid_argument("every tuple needs a table");
    std::map<int, Block> open;  // by length
    for (size_t t = 0; t < squares.size(); ++t) {
        const auto length = static_cast<int>(squares[t].size());
        if (length < 1 || length > 12) throw std::invalid_argument("a tuple has 1 to 12 squares");
        if (tables[t] < 0 || tables[t] > 100'000'000) throw std::invalid_argument("a table begins at 0 to 100000000");
        Block& block = open[length];
        block.length = length;
        block.squares.resize(static_cast<size_t>(length) * kBlock);
        int64_t entries = 1;
        for (int i = 0; i < length; ++i) {
            const int square = squares[t][i];
            if (square < 0 || square > 63) throw std::invalid_argument("a tuple's squares are 0 to 63");
            block.squares[i * kBlock + block.copies] = square;
            entries *= 3;
        }
        block.tables[block.copies] = tables[t];
        weights_ = std::max(weights_, tables[t] + entries);
        if (++block.copies == kBlock) {
            blocks_.push_back(std::move(block));
            block = Block{};
        }
    }
    for (auto& [length, block] : open) {
        if (block.copies > 0) blocks_.push_back(std::move(block));
    }
}

template <class F>
void TupleShape::each_block(uint64_t own, uint64_t opponent, F&& visit) const {
    std::array<int32_t, 64> digits;
    for (int square = 0; square < 64; ++square) {
        digits[square] = 1 + static_cast<int>(own >> square & 1) - static_cast<int>(opponent >> square & 1);
    }
    std::array<int32_t, kBlock> entries;
    for (const Block& block : blocks_) {
        entries.fill(0);
        const int32_t* squares = block.squares.data();
        for (int i = 0; i < block.length; ++i, squares += kBlock) {
            for (int copy = 0; copy < kBlock; ++copy) entries[copy] = 3 * entries[copy] + digits[squares[copy]];
        }
        for (int copy = 0; copy < kBlock; ++copy) entries[copy] += block.tables[copy];
        visit(entries.data(), block.copies);
    }
}

double TupleShape::value(const float* weights, uint64_t own, uint64_t opponent) const {
    double total[4] = {};  // independent sums, because an addition waits for the one before it
    each_block(own, opponent, [&](const int32_t* entries, int n) {
        int i = 0;
        for (; i + 4 <= n; i += 4) {
            for (int k = 0; k < 4; ++k) total[k] += weights[entries[i + k]];
        }
        for (; i < n; ++i) total[0] += weights[entries[i]];
    });
    return std::nearbyint((total[0] + total[1] + total[2] + total[3]) * 0x1.0p20) * 0x1.0p-20;
}

void TupleShape::add(float* weights, uint64_t own, uint64_t opponent, float change) const {
    each_block(own, opponent, [&](const int32_t* entries, int n) {
        for (int i = 0; i < n; ++i) weights[entries[i]] += change;
    });
}

TdReport td_self_play(const TupleShape& shape, float* weights, uint64_t key, int64_t first, int64_t games,
                      const TdSettings& settings, Interrupt* interrupt) {
    const Othello rules(8);
    std::vector<Episode> episodes(games);
    const auto play = [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            Interrupt::check(interrupt);
            episodes[i] = play_episode(rules, shape, weights, derive(key, static_cast<uint64_t>(first + i)), settings);
        }
    };
    parallel_for(games, 1, play, interrupt);
    TdReport report;
    for (const Episode& episode : episodes) learn_from(episode, shape, weights, settings, report);
    return report;
}

void play_ntuple_games(const TupleShape& shape, const float* weights, const int32_t* black, const int32_t* white,
                       const uint64_t* openings, const uint64_t* keys, int plies, int64_t n, int8_t* results,
                       Interrupt* interrupt) {
    const Othello rules(8);
    const auto play = [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            Interrupt::check(interrupt);
            Othello::State state = rules.start();
            for (int ply = 0; !state.over; ++ply) {
                if (ply < plies) {
                    play_randomly(rules, state, bits_for(openings[i], ply, kRandomMove));
                } else {
                    const int32_t member = state.mover == kBlack ? black[i] : white[i];
                    play_greedily(rules, shape, weights + member * shape.weights(), state,
                                  bits_for(keys[i], ply, kTie));
                }
            }
            results[i] = static_cast<int8_t>(outcome_for(kBlack, rules, state));
        }
    };
    parallel_for(n, 8, play, interrupt);
}

}  // namespace zp
