#include "array_game.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "chance.hpp"

namespace zp {
namespace {

constexpr int64_t kTogether = 4096;  // positions in a call of the rules while a tree is expanded or games are played
constexpr float kNone = -std::numeric_limits<float>::infinity();

struct ArrayRules {
    int size, cells;
    int stones_at_start = 0;
    ArrayAdvance advance;
    ArrayRows start;

    // Calls the rules; whether what they return makes sense is for them to check.
    void apply(ArrayRows& rows) const {
        if (rows.n == 0) return;
        advance(rows);
        const auto n = static_cast<size_t>(rows.n), all = n * cells;
        if (rows.stones.size() != all || rows.legal.size() != all || rows.mover.size() != n ||
            rows.passed.size() != n || rows.score.size() != n) {
            throw std::invalid_argument("the rules returned arrays of a wrong length");
        }
    }

    int count(const int8_t* stones) const {
        return static_cast<int>(cells - std::count(stones, stones + cells, int8_t{0}));
    }
};

class ArrayBatch final : public Batch {
  public:
    ArrayBatch(std::shared_ptr<const ArrayRules> rules, ArrayRows rows, std::vector<int32_t> last)
        : rules_(std::move(rules)), rows_(std::move(rows)), last_(std::move(last)) {}

    const ArrayRules& rules() const { return *rules_; }

    int64_t length() const override { return rows_.n; }
    int size() const override { return rules_->size; }
    int cells() const override { return rules_->cells; }

    std::unique_ptr<Batch> select(const int64_t* index, int64_t n) const override { return chosen(index, n); }

    void assign(const int64_t* index, int64_t n, const Batch& other) override {
        const auto* source = dynamic_cast<const ArrayBatch*>(&other);
        if (source == nullptr || source->cells() != cells()) {
            throw std::invalid_argument("positions of another game cannot be assigned here");
        }
        if (source->length() != n) throw std::invalid_argument("as many positions as places are needed");
        const ArrayRows given = source->rows_;  // a copy, because the source may be this batch
        const std::vector<int32_t> last = source->last_;
        for (int64_t i = 0; i < n; ++i) put(index[i], given, i, last[i]);
    }

    std::unique_ptr<Batch> image(int k) const override {
        std::vector<int> to(cells());  // as square_symmetries of games/definition.py
        for (int cell = 0; cell < cells(); ++cell) {
            const int row = cell / size(), column = cell % size();
            const int r = k & 2 ? size() - 1 - row : row, c = k & 1 ? size() - 1 - column : column;
            to[cell] = k & 4 ? c * size() + r : r * size() + c;
        }
        ArrayRows images = rows_;
        std::vector<int32_t> last = last_;
        images.moves.assign(rows_.n, -1);
        for (int64_t i = 0; i < rows_.n; ++i) {
            for (int cell = 0; cell < cells(); ++cell) {
                images.stones[i * cells() + to[cell]] = rows_.stones[i * cells() + cell];
            }
            if (last[i] >= 0) last[i] = to[last[i]];
        }
        rules_->apply(images);
        images.passed = rows_.passed;
        return std::make_unique<ArrayBatch>(rules_, std::move(images), std::move(last));
    }

    int64_t find_illegal(const int32_t* moves) const override {
        for (int64_t i = 0; i < rows_.n; ++i) {
            const int32_t move = moves[i];
            const bool fine = is_over(i) ? move == -1 : move >= 0 && move < cells() && legal_row(i)[move];
            if (!fine) return i;
        }
        return -1;
    }

    void play(const int32_t* moves) override {
        std::vector<int64_t> live;
        for (int64_t i = 0; i < rows_.n; ++i) {
            if (moves[i] >= 0) live.push_back(i);
        }
        const auto after = chosen(live.data(), static_cast<int64_t>(live.size()));
        for (size_t i = 0; i < live.size(); ++i) after->rows_.moves[i] = after->last_[i] = moves[live[i]];
        rules_->apply(after->rows_);
        for (size_t i = 0; i < live.size(); ++i) put(live[i], after->rows_, i, after->last_[i]);
    }

    void remember(const int32_t* last, const uint8_t* passed) override {
        for (int64_t i = 0; i < rows_.n; ++i) {
            if (last[i] < -1 || last[i] >= cells()) throw BadPosition(i, "the last move is off the board");
            if (last[i] >= 0 && stones_row(i)[last[i]] == 0) {
                throw BadPosition(i, "there is no stone where the last move was made");
            }
        }
        last_.assign(last, last + rows_.n);
        for (int64_t i = 0; i < rows_.n; ++i) rows_.passed[i] = passed[i] != 0;
    }

    void legal(uint8_t* out) const override { std::copy(rows_.legal.begin(), rows_.legal.end(), out); }
    void stones(int8_t* out) const override { std::copy(rows_.stones.begin(), rows_.stones.end(), out); }
    void over(uint8_t* out) const override {
        for (int64_t i = 0; i < rows_.n; ++i) out[i] = is_over(i);
    }
    void mover(uint8_t* out) const override { std::copy(rows_.mover.begin(), rows_.mover.end(), out); }
    void score(int32_t* out) const override { std::copy(rows_.score.begin(), rows_.score.end(), out); }
    void move_number(int32_t* out) const override {
        for (int64_t i = 0; i < rows_.n; ++i) out[i] = number(i);
    }
    void last_move(int32_t* out) const override { std::copy(last_.begin(), last_.end(), out); }
    void passed(uint8_t* out) const override { std::copy(rows_.passed.begin(), rows_.passed.end(), out); }
    void captured(int32_t* out) const override { std::fill_n(out, 2 * rows_.n, 0); }
    void ko(int32_t* out) const override { std::fill_n(out, rows_.n, -1); }
    void liberties(int32_t*) const override { throw std::invalid_argument("stones of this game have no liberties"); }

    void hash(uint64_t* out) const override {
        for (int64_t i = 0; i < rows_.n; ++i) {
            uint64_t h = mix(static_cast<uint64_t>(rows_.mover[i]) + 1);
            for (const int8_t colour : {int8_t{1}, int8_t{-1}}) {
                for (int first = 0; first < cells(); first += 64) {
                    uint64_t word = 0;
                    for (int cell = first; cell < std::min(cells(), first + 64); ++cell) {
                        word |= static_cast<uint64_t>(stones_row(i)[cell] == colour) << (cell - first);
                    }
                    h = derive(h, word);
                }
            }
            out[i] = h;
        }
    }

    void planes(const Plane* kinds, int count, float* out) const override {
        for (int64_t i = 0; i < rows_.n; ++i) {
            const bool black = rows_.mover[i] == 0;
            const int8_t own = black ? 1 : -1;
            for (int p = 0; p < count; ++p) {
                float* plane = out + (i * count + p) * cells();
                for (int cell = 0; cell < cells(); ++cell) {
                    const int8_t stone = stones_row(i)[cell];
                    switch (kinds[p]) {
                        case Plane::kOwn:
                            plane[cell] = stone == own;
                            break;
                        case Plane::kOpponent:
                            plane[cell] = stone == -own;
                            break;
                        case Plane::kBlack:
                            plane[cell] = stone == 1;
                            break;
                        case Plane::kWhite:
                            plane[cell] = stone == -1;
                            break;
                        case Plane::kLegal:
                            plane[cell] = legal_row(i)[cell];
                            break;
                        case Plane::kMover:
                            plane[cell] = black;
                            break;
                        case Plane::kOnes:
                            plane[cell] = 1;
                            break;
                    }
                }
            }
        }
    }

    void child_values(ChildValue kind, float* out) const override {
        each_child(out, [kind](const ArrayBatch& after, int64_t child, uint8_t mover) {
            const int own = mover == 0 ? 1 : -1;
            if (kind == ChildValue::kDiscs) {
                const int8_t* row = after.stones_row(child);
                return static_cast<float>(std::count(row, row + after.cells(), static_cast<int8_t>(own)));
            }
            const int score = after.is_over(child) ? own * after.rows_.score[child] : 0;
            return score > 0 ? 1.0f : score < 0 ? -1.0f : 0.0f;
        });
    }

    void child_weights(const float* weights, float* out) const override {
        constexpr double kStep = 0x1.0p-20;  // as in batch_of.hpp
        each_child(out, [weights](const ArrayBatch& after, int64_t child, uint8_t mover) {
            double total = 0;
            for (int cell = 0; cell < after.cells(); ++cell) total += weights[cell] * after.stones_row(child)[cell];
            return static_cast<float>(std::nearbyint((mover == 0 ? total : -total) / kStep) * kStep + 0.0);
        });
    }

    void seen(int64_t i, uint8_t* out) const override {
        const int8_t own = rows_.mover[i] == 0 ? 1 : -1;
        for (int cell = 0; cell < cells(); ++cell) {
            const int8_t stone = stones_row(i)[cell];
            out[cell] = stone == 0 ? 0 : stone == own ? 1 : 2;
        }
    }

    void mask_illegal(int64_t i, const float* values, float* out) const override {
        for (int cell = 0; cell < cells(); ++cell) out[cell] = legal_row(i)[cell] ? values[cell] : kNone;
    }

    std::unique_ptr<Batch> children(int64_t begin, int64_t end, std::vector<int64_t>& parents,
                                    std::vector<int32_t>& moves) const override {
        return children_of(begin, end, parents, moves);
    }

    std::unique_ptr<ArrayBatch> children_of(int64_t begin, int64_t end, std::vector<int64_t>& parents,
                                            std::vector<int32_t>& moves) const {
        const size_t first = moves.size();
        for (int64_t i = begin; i < end; ++i) {
            for (int cell = 0; cell < cells(); ++cell) {
                if (!legal_row(i)[cell]) continue;
                parents.push_back(i);
                moves.push_back(cell);
            }
        }
        auto after = chosen(parents.data() + first, static_cast<int64_t>(parents.size() - first));
        std::copy(moves.begin() + first, moves.end(), after->rows_.moves.begin());
        std::copy(moves.begin() + first, moves.end(), after->last_.begin());
        rules_->apply(after->rows_);
        return after;
    }

    void random_moves(const uint64_t* keys, int32_t* out) const override {
        for (int64_t i = 0; i < rows_.n; ++i) {
            out[i] = -1;
            const uint8_t* row = legal_row(i);
            const auto count = static_cast<uint32_t>(std::count_if(row, row + cells(), [](uint8_t l) { return l; }));
            if (count == 0) continue;
            auto left = below(draw(keys[i], static_cast<uint64_t>(number(i))), count);
            while (!row[++out[i]] || left-- > 0) {
            }
        }
    }

    // The number of sequences of `depth` plies from all positions together; a pass is a ply.
    uint64_t sequences(int depth, Interrupt* interrupt) const {
        if (depth == 0) return static_cast<uint64_t>(rows_.n);
        uint64_t total = 0;
        const int64_t block = std::max<int64_t>(1, kTogether / cells());
        for (int64_t begin = 0; begin < rows_.n; begin += block) {
            Interrupt::check(interrupt);
            const int64_t end = std::min(begin + block, rows_.n);
            for (int64_t i = begin; i < end; ++i) total += is_over(i);
            std::vector<int64_t> parents;
            std::vector<int32_t> moves;
            const auto after = children_of(begin, end, parents, moves);
            std::vector<int64_t> next[2];  // by whether the other side has to pass
            for (int64_t i = 0; i < after->length(); ++i) next[after->rows_.passed[i] != 0].push_back(i);
            for (const int passed : {0, 1}) {
                const auto some = after->chosen(next[passed].data(), static_cast<int64_t>(next[passed].size()));
                total += some->sequences(std::max(0, depth - 1 - passed), interrupt);
            }
        }
        return total;
    }

    bool is_over(int64_t i) const {
        return std::none_of(legal_row(i), legal_row(i) + cells(), [](uint8_t legal) { return legal; });
    }
    int score_of(int64_t i) const { return rows_.score[i]; }
    int number(int64_t i) const { return rules_->count(stones_row(i)) - rules_->stones_at_start + 1; }

    // The chosen positions as a batch of their own; their moves are -1.
    std::unique_ptr<ArrayBatch> chosen(const int64_t* index, int64_t n) const {
        ArrayRows rows{.n = n, .cells = cells()};
        rows.moves.assign(n, -1);
        rows.stones.resize(n * cells());
        rows.legal.resize(n * cells());
        rows.mover.resize(n);
        rows.passed.resize(n);
        rows.score.resize(n);
        auto batch = std::make_unique<ArrayBatch>(rules_, std::move(rows), std::vector<int32_t>(n));
        for (int64_t i = 0; i < n; ++i) batch->put(i, rows_, index[i], last_.at(index[i]));
        return batch;
    }

  private:
    const int8_t* stones_row(int64_t i) const { return rows_.stones.data() + i * cells(); }
    const uint8_t* legal_row(int64_t i) const { return rows_.legal.data() + i * cells(); }

    void put(int64_t i, const ArrayRows& from, int64_t j, int32_t last) {
        std::copy_n(from.stones.data() + j * cells(), cells(), rows_.stones.data() + i * cells());
        std::copy_n(from.legal.data() + j * cells(), cells(), rows_.legal.data() + i * cells());
        rows_.mover.at(i) = from.mover[j];
        rows_.passed[i] = from.passed[j];
        rows_.score[i] = from.score[j];
        last_[i] = last;
    }

    template <class F>
    void each_child(float* out, F&& value) const {
        std::fill_n(out, rows_.n * cells(), kNone);
        const int64_t block = std::max<int64_t>(1, kTogether / cells());
        for (int64_t begin = 0; begin < rows_.n; begin += block) {
            std::vector<int64_t> parents;
            std::vector<int32_t> moves;
            const auto after = children_of(begin, std::min(begin + block, rows_.n), parents, moves);
            for (size_t child = 0; child < moves.size(); ++child) {
                out[parents[child] * cells() + moves[child]] = value(*after, child, rows_.mover[parents[child]]);
            }
        }
    }

    std::shared_ptr<const ArrayRules> rules_;
    ArrayRows rows_;  // its moves are used only while rules are called
    std::vector<int32_t> last_;
};

class ArrayGame final : public Game {
  public:
    explicit ArrayGame(std::shared_ptr<const ArrayRules> rules) : rules_(std::move(rules)) {}

    int size() const override { return rules_->size; }

    std::unique_ptr<Batch> start(int64_t n) const override { return begin(n); }

    std::unique_ptr<Batch> make(const int8_t* stones, const uint8_t* mover, const int32_t* captured, const int32_t* ko,
                                int64_t n) const override {
        ArrayRows rows{.n = n, .cells = rules_->cells};
        for (int64_t i = 0; i < n; ++i) {
            const int8_t* row = stones + i * rules_->cells;
            if (std::any_of(row, row + rules_->cells, [](int8_t stone) { return stone < -1 || stone > 1; })) {
                throw BadPosition(i, "a cell must hold 1, -1 or 0");
            }
            if (mover[i] > 1) throw BadPosition(i, "the side to move must be 0 or 1");
            if (captured[2 * i] != 0 || captured[2 * i + 1] != 0 || ko[i] != -1) {
                throw BadPosition(i, "this game knows neither captured stones nor ko");
            }
            if (rules_->count(row) < rules_->stones_at_start) {
                throw BadPosition(i, "there are fewer stones than at the start");
            }
        }
        rows.moves.assign(n, -1);
        rows.stones.assign(stones, stones + n * rules_->cells);
        rows.mover.assign(mover, mover + n);
        rows.passed.assign(n, 0);
        rows.legal.assign(n * rules_->cells, 0);
        rows.score.assign(n, 0);
        rules_->apply(rows);
        return std::make_unique<ArrayBatch>(rules_, std::move(rows), std::vector<int32_t>(n, -1));
    }

    uint64_t perft(const Batch& position, int depth, Interrupt* interrupt) const override {
        const auto* batch = dynamic_cast<const ArrayBatch*>(&position);
        if (batch == nullptr || &batch->rules() != rules_.get() || batch->length() != 1) {
            throw std::invalid_argument("perft takes one position of its own game");
        }
        return batch->sequences(depth, interrupt);
    }

    Tally random_games(uint64_t key, int64_t games, Interrupt* interrupt) const override {
        Tally tally;
        for (int64_t first = 0; first < games; first += kTogether) {
            auto batch = begin(std::min(kTogether, games - first));
            std::vector<uint64_t> keys(batch->length());
            for (size_t i = 0; i < keys.size(); ++i) keys[i] = derive(key, first + i);
            std::vector<int32_t> moves(keys.size());
            for (;;) {
                Interrupt::check(interrupt);
                batch->random_moves(keys.data(), moves.data());
                const auto played = std::count_if(moves.begin(), moves.end(), [](int32_t move) { return move >= 0; });
                if (played == 0) break;
                tally.plies += played;
                batch->play(moves.data());
            }
            tally.games += batch->length();
            for (int64_t i = 0; i < batch->length(); ++i) {
                tally.black_wins += batch->score_of(i) > 0;
                tally.white_wins += batch->score_of(i) < 0;
            }
        }
        return tally;
    }

  private:
    std::unique_ptr<ArrayBatch> begin(int64_t n) const {
        const ArrayBatch one(rules_, rules_->start, {-1});
        return one.chosen(std::vector<int64_t>(n, 0).data(), n);
    }

    std::shared_ptr<const ArrayRules> rules_;
};

}  // namespace

std::shared_ptr<Game> make_array_game(int size, const int8_t* start, ArrayAdvance advance) {
    if (size < 1 || size > 26) throw std::invalid_argument("boards have sizes from 1 to 26");
    auto rules = std::make_shared<ArrayRules>();
    rules->size = size;
    rules->cells = size * size;
    rules->advance = std::move(advance);
    rules->stones_at_start = rules->count(start);
    ArrayRows rows{.n = 1, .cells = rules->cells};
    rows.moves = {-1};
    rows.stones.assign(start, start + rules->cells);
    rows.mover = {0};
    rows.passed = {0};
    rows.legal.assign(rules->cells, 0);
    rows.score = {0};
    rules->apply(rows);
    rules->start = std::move(rows);
    return std::make_shared<ArrayGame>(std::move(rules));
}

}  // namespace zp
