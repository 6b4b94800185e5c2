// Batches, perft and random games for any rules.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "rules.hpp"
#include "threads.hpp"

namespace zp {

inline constexpr int64_t kGrain = 256;  // positions a thread takes at a time

template <Rules R>
int random_move(const R& rules, const typename R::State& state, uint64_t bits) {
    const auto moves = rules.legal(state);
    return moves.nth(static_cast<int>(below(bits, static_cast<uint32_t>(moves.count()))));
}

template <Rules R>
class BatchOf final : public Batch {
  public:
    static constexpr int W = R::kWords;
    using State = typename R::State;
    using Set = Bits<W>;

    BatchOf(std::shared_ptr<const R> rules, std::vector<State> states)
        : rules_(std::move(rules)), states_(std::move(states)) {}

    const R& rules() const { return *rules_; }
    const std::vector<State>& states() const { return states_; }

    int64_t length() const override { return static_cast<int64_t>(states_.size()); }
    int size() const override { return geometry().size; }
    int cells() const override { return geometry().cells; }

    std::unique_ptr<Batch> select(const int64_t* index, int64_t n) const override {
        std::vector<State> chosen;
        chosen.reserve(n);
        for (int64_t i = 0; i < n; ++i) chosen.push_back(states_.at(index[i]));
        return std::make_unique<BatchOf>(rules_, std::move(chosen));
    }

    void assign(const int64_t* index, int64_t n, const Batch& other) override {
        const auto* source = dynamic_cast<const BatchOf*>(&other);
        if (source == nullptr || source->rules_ != rules_) {
            throw std::invalid_argument("positions of another game cannot be assigned here");
        }
        if (source->length() != n) throw std::invalid_argument("as many positions as places are needed");
        const std::vector<State> given = source->states_;  // a copy, because the source may be this batch
        for (int64_t i = 0; i < n; ++i) states_.at(index[i]) = given[i];
    }

    std::unique_ptr<Batch> image(int k) const override {
        std::vector<State> images(states_.size());
        each([&](int64_t i) {
            auto position = rules_->setup(states_[i]);
            for (Set& stones : position.stones) stones = geometry().image(stones, k);
            if (position.ko >= 0) position.ko = geometry().symmetry[k][position.ko];
            images[i] = rules_->make(position);
            const int last = states_[i].last;
            images[i].last = static_cast<int16_t>(last < 0 ? -1 : geometry().symmetry[k][last]);
            images[i].passed = states_[i].passed;
        });
        return std::make_unique<BatchOf>(rules_, std::move(images));
    }

    int64_t find_illegal(const int32_t* moves) const override {
        Lowest illegal(length());
        each([&](int64_t i) {
            const State& s = states_[i];
            const bool fine =
                s.over ? moves[i] == -1
                       : moves[i] >= 0 && moves[i] < cells() && rules_->legal(s).test(geometry().bit_of_cell[moves[i]]);
            if (!fine) illegal.note(i);
        });
        return illegal.found();
    }

    void play(const int32_t* moves) override {
        each([&](int64_t i) {
            if (moves[i] >= 0) rules_->play(states_[i], geometry().bit_of_cell[moves[i]]);
        });
    }

    void remember(const int32_t* last, const uint8_t* passed) override {
        for (int64_t i = 0; i < length(); ++i) {
            if (last[i] < -1 || last[i] >= cells()) throw BadPosition(i, "the last move is off the board");
            const auto position = rules_->setup(states_[i]);
            const Set stones = position.stones[kBlack] | position.stones[kWhite];
            if (last[i] >= 0 && !stones.test(geometry().bit_of_cell[last[i]])) {
                throw BadPosition(i, "there is no stone where the last move was made");
            }
        }
        for (int64_t i = 0; i < length(); ++i) {
            states_[i].last = static_cast<int16_t>(last[i] < 0 ? -1 : geometry().bit_of_cell[last[i]]);
            states_[i].passed = passed[i] != 0;
        }
    }

    void legal(uint8_t* out) const override {
        each([&](int64_t i) {
            uint8_t* row = out + i * cells();
            std::fill_n(row, cells(), uint8_t{0});
            mark(rules_->legal(states_[i]), row, uint8_t{1});
        });
    }

    void stones(int8_t* out) const override {
        each([&](int64_t i) {
            int8_t* row = out + i * cells();
            const auto position = rules_->setup(states_[i]);
            std::fill_n(row, cells(), int8_t{0});
            mark(position.stones[kBlack], row, int8_t{1});
            mark(position.stones[kWhite], row, int8_t{-1});
        });
    }

    // Copying one field takes less time than starting other threads.
    void over(uint8_t* out) const override {
        for (int64_t i = 0; i < length(); ++i) out[i] = states_[i].over;
    }

    void mover(uint8_t* out) const override {
        for (int64_t i = 0; i < length(); ++i) out[i] = states_[i].mover;
    }

    void score(int32_t* out) const override {
        each([&](int64_t i) { out[i] = rules_->score(states_[i]); });
    }

    void move_number(int32_t* out) const override {
        each([&](int64_t i) { out[i] = rules_->move_number(states_[i]); });
    }

    void last_move(int32_t* out) const override {
        for (int64_t i = 0; i < length(); ++i) out[i] = cell_or_none(states_[i].last);
    }

    void passed(uint8_t* out) const override {
        for (int64_t i = 0; i < length(); ++i) out[i] = states_[i].passed;
    }

    void captured(int32_t* out) const override {
        each([&](int64_t i) {
            const auto position = rules_->setup(states_[i]);
            out[2 * i] = position.captured[kBlack];
            out[2 * i + 1] = position.captured[kWhite];
        });
    }

    void ko(int32_t* out) const override {
        each([&](int64_t i) { out[i] = cell_or_none(rules_->setup(states_[i]).ko); });
    }

    void liberties(int32_t* out) const override {
        if constexpr (requires(const R& r, const State& s) { r.liberties(s, 0); }) {
            each([&](int64_t i) {
                int32_t* row = out + i * cells();
                std::fill_n(row, cells(), 0);
                const auto position = rules_->setup(states_[i]);
                (position.stones[kBlack] | position.stones[kWhite]).for_each([&](int bit) {
                    row[geometry().cell_of_bit[bit]] = rules_->liberties(states_[i], bit);
                });
            });
        } else {
            throw std::invalid_argument("stones of this game have no liberties");
        }
    }

    void hash(uint64_t* out) const override {
        each([&](int64_t i) { out[i] = zp::hash(*rules_, states_[i]); });
    }

    void planes(const Plane* kinds, int count, float* out) const override {
        each([&](int64_t i) {
            const auto position = rules_->setup(states_[i]);
            for (int p = 0; p < count; ++p) {
                float* plane = out + (i * count + p) * cells();
                std::fill_n(plane, cells(), 0.0f);
                switch (kinds[p]) {
                    case Plane::kOwn:
                        mark(position.stones[position.mover], plane, 1.0f);
                        break;
                    case Plane::kOpponent:
                        mark(position.stones[position.mover ^ 1], plane, 1.0f);
                        break;
                    case Plane::kBlack:
                        mark(position.stones[kBlack], plane, 1.0f);
                        break;
                    case Plane::kWhite:
                        mark(position.stones[kWhite], plane, 1.0f);
                        break;
                    case Plane::kLegal:
                        mark(rules_->legal(states_[i]), plane, 1.0f);
                        break;
                    case Plane::kMover:
                        std::fill_n(plane, cells(), position.mover == kBlack ? 1.0f : 0.0f);
                        break;
                    case Plane::kOnes:
                        std::fill_n(plane, cells(), 1.0f);
                        break;
                }
            }
        });
    }

    void child_values(ChildValue kind, float* out) const override {
        each_child(out, [&](const State& before, const State& after) {
            const int sign = before.mover == kBlack ? 1 : -1;
            if (kind == ChildValue::kDiscs) {
                return static_cast<float>(rules_->setup(after).stones[before.mover].count());
            }
            const int score = after.over ? sign * rules_->score(after) : 0;
            return score > 0 ? 1.0f : score < 0 ? -1.0f : 0.0f;
        });
    }

    void child_weights(const float* weights, float* out) const override {
        // Values are rounded to steps of 2^-20, because weights such as 0.1 have no exact form and moves of equal value
        // must be exactly equal; players of this kind have always treated values within 1e-6 as ties.
        constexpr double kStep = 0x1.0p-20;
        const auto sum = [&](const Set& set) {
            double total = 0;
            set.for_each([&](int bit) { total += weights[geometry().cell_of_bit[bit]]; });
            return total;
        };
        each_child(out, [&](const State& before, const State& after) {
            const auto position = rules_->setup(after);
            const double value = sum(position.stones[before.mover]) - sum(position.stones[before.mover ^ 1]);
            return static_cast<float>(std::nearbyint(value / kStep) * kStep + 0.0);  // + 0.0 turns -0 into 0
        });
    }

    void seen(int64_t i, uint8_t* out) const override {
        const auto position = rules_->setup(states_[i]);
        std::fill_n(out, cells(), uint8_t{0});
        mark(position.stones[position.mover], out, uint8_t{1});
        mark(position.stones[position.mover ^ 1], out, uint8_t{2});
    }

    void mask_illegal(int64_t i, const float* values, float* out) const override {
        std::fill_n(out, cells(), -std::numeric_limits<float>::infinity());
        rules_->legal(states_[i]).for_each([&](int bit) {
            const int cell = geometry().cell_of_bit[bit];
            out[cell] = values[cell];
        });
    }

    std::unique_ptr<Batch> children(int64_t begin, int64_t end, std::vector<int64_t>& parents,
                                    std::vector<int32_t>& moves) const override {
        std::vector<State> after;
        for (int64_t i = begin; i < end; ++i) {
            rules_->legal(states_[i]).for_each([&](int bit) {
                after.push_back(states_[i]);
                rules_->play(after.back(), bit);
                parents.push_back(i);
                moves.push_back(geometry().cell_of_bit[bit]);
            });
        }
        return std::make_unique<BatchOf>(rules_, std::move(after));
    }

    void random_moves(const uint64_t* keys, int32_t* out) const override {
        each([&](int64_t i) {
            const State& s = states_[i];
            const auto counter = static_cast<uint64_t>(rules_->move_number(s));
            out[i] = s.over ? -1 : geometry().cell_of_bit[random_move(*rules_, s, draw(keys[i], counter))];
        });
    }

  private:
    const Geometry<W>& geometry() const { return rules_->geometry; }

    int cell_or_none(int bit) const { return bit < 0 ? -1 : geometry().cell_of_bit[bit]; }

    template <class F>
    void each(F&& visit) const {
        parallel_for(length(), kGrain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) visit(i);
        });
    }

    template <class F>
    void each_child(float* out, F&& value) const {
        each([&](int64_t i) {
            const State& before = states_[i];
            float* row = out + i * cells();
            std::fill_n(row, cells(), -std::numeric_limits<float>::infinity());
            rules_->legal(before).for_each([&](int bit) {
                State after = before;
                rules_->play(after, bit);
                row[geometry().cell_of_bit[bit]] = value(before, after);
            });
        });
    }

    template <class T>
    void mark(const Set& set, T* row, T value) const {
        set.for_each([&](int bit) { row[geometry().cell_of_bit[bit]] = value; });
    }

    std::shared_ptr<const R> rules_;
    std::vector<State> states_;
};

template <Rules R>
uint64_t count_sequences(const R& rules, const typename R::State& state, int depth, Interrupt* interrupt) {
    if (depth > 2) Interrupt::check(interrupt);
    const auto moves = rules.legal(state);
    if (state.over) return 1;
    if (depth == 1) return moves.count();
    uint64_t total = 0;
    moves.for_each([&](int bit) {
        auto child = state;
        rules.play(child, bit);
        total += count_sequences(rules, child, depth - 1, interrupt);
    });
    return total;
}

template <Rules R>
class GameOf final : public Game {
  public:
    static constexpr int W = R::kWords;
    using State = typename R::State;

    template <class... Args>
    explicit GameOf(Args... args) : rules_(std::make_shared<const R>(args...)) {}

    int size() const override { return rules_->geometry.size; }

    std::unique_ptr<Batch> start(int64_t n) const override {
        return std::make_unique<BatchOf<R>>(rules_, std::vector<State>(n, rules_->start()));
    }

    std::unique_ptr<Batch> make(const int8_t* stones, const uint8_t* mover, const int32_t* captured, const int32_t* ko,
                                int64_t n) const override {
        const auto& geometry = rules_->geometry;
        std::vector<State> states(n);
        for (int64_t i = 0; i < n; ++i) {
            Setup<W> position;
            for (int cell = 0; cell < geometry.cells; ++cell) {
                const int8_t stone = stones[i * geometry.cells + cell];
                if (stone < -1 || stone > 1) throw BadPosition(i, "a cell must hold 1, -1 or 0");
                if (stone != 0) position.stones[stone == 1 ? kBlack : kWhite].set(geometry.bit_of_cell[cell]);
            }
            if (mover[i] > 1) throw BadPosition(i, "the side to move must be 0 or 1");
            if (ko[i] < -1 || ko[i] >= geometry.cells) throw BadPosition(i, "the ko point is off the board");
            position.mover = mover[i];
            position.ko = ko[i] < 0 ? -1 : geometry.bit_of_cell[ko[i]];
            for (const int colour : {kBlack, kWhite}) {
                position.captured[colour] = captured[2 * i + colour];
                if (position.captured[colour] < 0 || position.captured[colour] > 9999) {
                    throw BadPosition(i, "captured stones must be 0 to 9999");
                }
            }
            try {
                states[i] = rules_->make(position);
            } catch (const std::invalid_argument& error) {
                throw BadPosition(i, error.what());
            }
            const auto kept = rules_->setup(states[i]);
            if (kept.ko != position.ko || !std::equal(kept.captured, kept.captured + 2, position.captured)) {
                throw BadPosition(i, "this game knows neither captured stones nor ko");
            }
        }
        return std::make_unique<BatchOf<R>>(rules_, std::move(states));
    }

    uint64_t perft(const Batch& position, int depth, Interrupt* interrupt) const override {
        const auto* batch = dynamic_cast<const BatchOf<R>*>(&position);
        if (batch == nullptr || &batch->rules() != rules_.get() || batch->length() != 1) {
            throw std::invalid_argument("perft takes one position of its own game");
        }
        if (depth == 0) return 1;
        const State& state = batch->states()[0];
        if constexpr (requires(const R& r, const State& s) { r.perft(s, 1, nullptr); }) {
            return rules_->perft(state, depth, interrupt);
        } else {
            return count_sequences(*rules_, state, depth, interrupt);
        }
    }

    Tally random_games(uint64_t key, int64_t games, Interrupt* interrupt) const override {
        // A few games side by side, so that the processor overlaps their chains of dependent steps.
        constexpr int64_t kTogether = 16;
        Tally total;
        std::mutex adding;
        const auto play = [&](int64_t begin, int64_t end) {
            Tally tally;
            for (; begin < end; begin += kTogether) {
                Interrupt::check(interrupt);
                tally.add(play_together(key, begin, std::min(begin + kTogether, end)));
            }
            const std::lock_guard lock(adding);
            total.add(tally);
        };
        parallel_for(games, kTogether, play, interrupt);
        return total;
    }

  private:
    Tally play_together(uint64_t key, int64_t begin, int64_t end) const {
        struct Table {
            State state;
            uint64_t key;
        };
        std::array<Table, 16> tables;
        int playing = 0;
        for (int64_t i = begin; i < end; ++i) {
            tables[playing++] = {rules_->start(), derive(key, static_cast<uint64_t>(i))};
        }
        Tally tally;
        tally.games = end - begin;
        while (playing > 0) {
            tally.plies += playing;
            for (int t = 0; t < playing;) {
                State& state = tables[t].state;
                const auto counter = static_cast<uint64_t>(rules_->move_number(state));
                rules_->play(state, random_move(*rules_, state, draw(tables[t].key, counter)));
                if (!state.over) {
                    ++t;
                    continue;
                }
                const int score = rules_->score(state);
                tally.black_wins += score > 0;
                tally.white_wins += score < 0;
                tables[t] = tables[--playing];
            }
        }
        return tally;
    }

    std::shared_ptr<const R> rules_;
};

}  // namespace zp
