#include "examples.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "chance.hpp"
#include "geometry.hpp"
#include "images.hpp"
#include "othello.hpp"
#include "threads.hpp"

namespace zp {
namespace {

constexpr int64_t kGrain = 4096;

uint8_t move_image(uint8_t move, int symmetry) {
    return static_cast<uint8_t>((move & kWhiteMoves) | symmetric_cell(move & kCell, 8, symmetry));
}

bool same_board(const Example& a, const Example& b) { return a.own == b.own && a.opponent == b.opponent; }

bool same(const Example& a, const Example& b) { return same_board(a, b) && (a.move & kCell) == (b.move & kCell); }

// By board and cell; Black before White.
bool before(const Example& a, const Example& b) {
    const auto key = [](const Example& e) {
        return std::make_tuple(e.own, e.opponent, e.move & kCell, e.move & kWhiteMoves);
    };
    return key(a) < key(b);
}

// Mirrored onto itself at one of the diagonals.
bool has_symmetry(const Example& example) {
    return same(image_of(example, 4), example) || same(image_of(example, 7), example);
}

// Sorts blocks on several threads and merges them pairwise.
void parallel_sort(std::vector<Example>& all) {
    constexpr int64_t kBlocks = 16;
    const auto n = static_cast<int64_t>(all.size());
    const auto bound = [&](int64_t block) { return all.begin() + n * block / kBlocks; };
    parallel_for(kBlocks, 1, [&](int64_t begin, int64_t end) {
        for (int64_t block = begin; block < end; ++block) std::sort(bound(block), bound(block + 1), before);
    });
    for (int64_t width = 1; width < kBlocks; width *= 2) {
        parallel_for(kBlocks / (2 * width), 1, [&](int64_t begin, int64_t end) {
            for (int64_t pair = begin; pair < end; ++pair) {
                const int64_t block = 2 * width * pair;
                std::inplace_merge(bound(block), bound(block + width), bound(block + 2 * width), before);
            }
        });
    }
}

// The cells that were played in positions, in a hash table with open addressing.
class PlayedCells {
  public:
    explicit PlayedCells(int64_t most) : entries_(std::bit_ceil(static_cast<uint64_t>(2 * most + 2))) {}

    void add(const Example& example) {
        Entry& entry = entries_[slot(example)];
        entry.own = example.own;
        entry.opponent = example.opponent;
        entry.cells |= uint64_t{1} << (example.move & kCell);
    }

    // The set of cells; 0 if the position is not there.
    uint64_t find(const Example& example) const { return entries_[slot(example)].cells; }

  private:
    struct Entry {
        uint64_t own = 0, opponent = 0, cells = 0;
    };

    size_t slot(const Example& example) const {
        size_t at = derive(example.own, example.opponent) & (entries_.size() - 1);
        while (entries_[at].cells != 0 &&
               (entries_[at].own != example.own || entries_[at].opponent != example.opponent)) {
            at = (at + 1) & (entries_.size() - 1);
        }
        return at;
    }

    std::vector<Entry> entries_;
};

void store(const ExampleArrays& out, int64_t at, const Example& example) {
    out.own[at] = example.own;
    out.opponent[at] = example.opponent;
    out.move[at] = example.move;
}

}  // namespace

Example image_of(const Example& example, int symmetry) {
    return {board_image(example.own, symmetry), board_image(example.opponent, symmetry),
            move_image(example.move, symmetry)};
}

Example canonical(const Example& example) {
    const auto own = images(example.own), opponent = images(example.opponent);
    Example best = example;
    for (int k = 1; k < 8; ++k) {
        if (own[k] > best.own) continue;
        const Example image{own[k], opponent[k], move_image(example.move, k)};
        if (before(image, best)) best = image;
    }
    return best;
}

int64_t StoredExamples::stored_index(int64_t number) const {
    if (whole < 0) return number;
    return number < 8 * whole ? number / 8 : whole + (number - 8 * whole) / 4;
}

Example StoredExamples::operator[](int64_t number) const {
    const Example stored_example = at(stored_index(number));
    if (whole < 0) return stored_example;
    // Mirrored at a diagonal: the first four symmetries already give all images.
    return image_of(stored_example, static_cast<int>(number < 8 * whole ? number % 8 : (number - 8 * whole) % 4));
}

void replay_examples(const Transcripts& transcripts, const ExampleArrays& out, int32_t* played) {
    parallel_for(transcripts.games, 256, [&](int64_t begin, int64_t end) {
        for (int64_t game = begin; game < end; ++game) {
            bool white = transcripts.white_first[game] != 0;
            uint64_t own = white ? transcripts.white[game] : transcripts.black[game];
            uint64_t opponent = white ? transcripts.black[game] : transcripts.white[game];
            int64_t at = transcripts.first[game];
            for (; at < transcripts.first[game + 1]; ++at) {
                const uint8_t cell = transcripts.moves[at];
                uint64_t legal = othello64::legal(own, opponent, othello64::kAny);
                if (legal == 0) {
                    std::swap(own, opponent);
                    white = !white;
                    legal = othello64::legal(own, opponent, othello64::kAny);
                }
                if (cell > kCell || !(legal >> cell & 1)) break;
                store(out, at, {own, opponent, static_cast<uint8_t>(cell | (white ? kWhiteMoves : 0))});
                const uint64_t square = uint64_t{1} << cell;
                const uint64_t turned = othello64::flips(own, opponent, square);
                const uint64_t next = opponent ^ turned;
                opponent = own ^ turned ^ square;
                own = next;
                white = !white;
            }
            played[game] = static_cast<int32_t>(at - transcripts.first[game]);
        }
    });
}

Distinct unique_examples(const ExampleArrays& examples, int64_t n, bool orbits) {
    std::vector<Example> all(n);
    parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            all[i] = {examples.own[i], examples.opponent[i], examples.move[i]};
            if (orbits) all[i] = canonical(all[i]);
        }
    });
    parallel_sort(all);
    all.erase(std::unique(all.begin(), all.end(), same), all.end());
    auto whole = all.end();
    if (orbits) {
        whole = std::stable_partition(all.begin(), all.end(), [](const Example& e) { return !has_symmetry(e); });
    }
    const auto stored = static_cast<int64_t>(all.size());
    for (int64_t i = 0; i < stored; ++i) store(examples, i, all[i]);
    return {stored, static_cast<int64_t>(whole - all.begin())};
}

int64_t predictable_examples(const StoredExamples& examples, bool symmetric, bool distinct) {
    // In a symmetric set every board of an orbit is met equally often, so one of them represents all. An example
    // maps to it by as many symmetries as map that board to itself.
    std::vector<Example> all;
    all.reserve(examples.stored);
    for (int64_t i = 0; i < examples.stored; ++i) {
        const Example example = examples.at(i);
        if (!symmetric) {
            all.push_back(example);
            continue;
        }
        const Example smallest = canonical(example);
        for (int k = 0; k < 8; ++k) {
            const Example image = image_of(example, k);
            if (same_board(image, smallest)) all.push_back(image);
        }
    }
    parallel_sort(all);
    if (distinct) all.erase(std::unique(all.begin(), all.end(), same), all.end());
    int64_t right = 0;
    for (size_t begin = 0, end; begin < all.size(); begin = end) {
        int64_t most = 0, run = 0;
        for (end = begin; end < all.size() && same_board(all[end], all[begin]); ++end) {
            run = end > begin && same(all[end], all[end - 1]) ? run + 1 : 1;
            most = std::max(most, run);
        }
        int boards = 1;
        if (symmetric) {
            int kept = 0;
            for (int k = 0; k < 8; ++k) kept += same_board(image_of(all[begin], k), all[begin]);
            boards = 8 / kept;
        }
        right += boards * most;
    }
    return right;
}

void transcript_keys(const StoredExamples& examples, const int64_t* first, int64_t games, uint64_t* keys) {
    parallel_for(games, 256, [&](int64_t begin, int64_t end) {
        for (int64_t game = begin; game < end; ++game) {
            uint64_t smallest = ~uint64_t{0};
            for (int k = 0; k < 8 && first[game] < first[game + 1]; ++k) {
                const Example start = image_of(examples.at(first[game]), k);
                uint64_t key = derive(start.own, start.opponent);
                for (int64_t i = first[game]; i < first[game + 1]; ++i) {
                    key = derive(key, move_image(examples.move[i], k));
                }
                smallest = std::min(smallest, key);
            }
            keys[game] = smallest;
        }
    });
}

void split_by_game(const StoredExamples& all, const int64_t* first, const uint8_t* tested, int64_t games,
                   const StoredExamples& examples, Equality equality, uint8_t* side) {
    int64_t training = 0;
    for (int64_t game = 0; game < games; ++game) training += tested[game] ? 0 : first[game + 1] - first[game];

    {  // These tables are large, and freed before the next one is made.
        std::vector<Example> smallest(examples.stored);
        parallel_for(examples.stored, kGrain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) smallest[i] = canonical(examples.at(i));
        });
        // A block of training games at a time: made canonical on several threads, entered on one.
        PlayedCells seen(training);
        std::vector<Example> block;
        const auto enter = [&] {
            parallel_for(static_cast<int64_t>(block.size()), kGrain, [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i) block[i] = canonical(block[i]);
            });
            for (const Example& example : block) seen.add(example);
            block.clear();
        };
        for (int64_t game = 0; game < games; ++game) {
            if (tested[game]) continue;
            for (int64_t i = first[game]; i < first[game + 1]; ++i) block.push_back(all.at(i));
            if (block.size() > 1 << 18) enter();
        }
        enter();

        parallel_for(examples.stored, kGrain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                const uint64_t cells = seen.find(smallest[i]);
                const bool known = cells >> (smallest[i].move & kCell) & 1;
                side[i] = cells == 0 ? kTest : known && equality == Equality::kImages ? kTrain : kNeither;
            }
        });
    }
    if (equality == Equality::kPlace) {
        for (int64_t game = 0; game < games; ++game) {
            if (!tested[game]) std::fill(side + first[game], side + first[game + 1], kTrain);
        }
    } else if (equality == Equality::kExact) {
        PlayedCells exact(training);
        for (int64_t game = 0; game < games; ++game) {
            if (tested[game]) continue;
            for (int64_t i = first[game]; i < first[game + 1]; ++i) exact.add(all.at(i));
        }
        parallel_for(examples.stored, kGrain, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
                if (exact.find(examples.at(i)) >> (examples.move[i] & kCell) & 1) side[i] = kTrain;
            }
        });
    }
}

void split_by_position(uint64_t key, int64_t n, int64_t tests, uint8_t* side) {
    const Permutation place(key, static_cast<uint64_t>(n));
    parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) side[i] = static_cast<int64_t>(place(i)) < tests ? kTest : kTrain;
    });
}

int64_t count_side(const uint8_t* side, int64_t n, uint8_t wanted) { return std::count(side, side + n, wanted); }

void rows_on_side(const uint8_t* side, int64_t n, uint8_t wanted, uint32_t* rows, int64_t room) {
    int64_t found = 0;
    for (int64_t i = 0; i < n && found < room; ++i) {
        if (side[i] == wanted) rows[found++] = static_cast<uint32_t>(i);
    }
}

Permutation::Permutation(uint64_t key, uint64_t n) : n_(n) {
    const int bits = std::max(kLeastBits, static_cast<int>(std::bit_width(n > 0 ? n - 1 : 0)));
    low_ = bits / 2;
    high_ = bits - low_;
    for (int round = 0; round < kRounds; ++round) keys_[round] = derive(key, round);
}

uint64_t Permutation::operator()(uint64_t i) const {
    do {
        uint64_t low = i & ((uint64_t{1} << low_) - 1), high = i >> low_;
        for (int round = 0; round < kRounds; round += 2) {
            high ^= draw(keys_[round], low) >> (64 - high_);
            low ^= draw(keys_[round + 1], high) >> (64 - low_);
        }
        i = high << low_ | low;
    } while (i >= n_);
    return i;
}

void draw_examples(const StoredExamples& examples, const Drawing& drawing, int64_t begin, int64_t n,
                   const ExampleArrays& out) {
    const int64_t count = examples.count();
    const Permutation order(drawing.order, static_cast<uint64_t>(drawing.n));
    // Rows and examples lie scattered in memory, so a few at a time are prefetched.
    constexpr int64_t kAhead = 32;
    parallel_for(n, kGrain, [&](int64_t from, int64_t to) {
        uint64_t places[kAhead];
        for (int64_t i = from; i < to; i += kAhead) {
            const int64_t some = std::min(kAhead, to - i);
            for (int64_t j = 0; j < some; ++j) {
                uint64_t place = order(static_cast<uint64_t>(begin + i + j));
                if (drawing.replacement) place = below(draw(drawing.sample, place), static_cast<uint32_t>(drawing.n));
                places[j] = place;
                __builtin_prefetch(drawing.rows + place);
            }
            for (int64_t j = 0; j < some; ++j) {
                const uint32_t row = drawing.rows[places[j]];
                if (row >= count) throw std::out_of_range("an example number is out of range");
                places[j] = row;
                const int64_t at = examples.stored_index(row);
                __builtin_prefetch(examples.own + at);
                __builtin_prefetch(examples.opponent + at);
                __builtin_prefetch(examples.move + at);
            }
            for (int64_t j = 0; j < some; ++j) {
                Example example = examples[static_cast<int64_t>(places[j])];
                if (drawing.symmetries) {
                    example = image_of(example, static_cast<int>(draw(drawing.images, begin + i + j) >> 61));
                }
                store(out, i + j, example);
            }
        }
    });
}

void take_examples(const StoredExamples& examples, const uint32_t* rows, int64_t n, const ExampleArrays& out) {
    const int64_t count = examples.count();
    parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            const uint32_t row = rows[i];
            if (row >= count) throw std::out_of_range("an example number is out of range");
            store(out, i, examples[row]);
        }
    });
}

void encode_examples(const uint64_t* own, const uint64_t* opponent, const uint8_t* black, int64_t n, const Plane* kinds,
                     int count, float* out) {
    const auto fill = [](uint64_t bits, float* plane) {
        for (int cell = 0; cell < 64; ++cell) plane[cell] = static_cast<float>(bits >> cell & 1);
    };
    parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            for (int p = 0; p < count; ++p) {
                float* plane = out + (i * count + p) * 64;
                switch (kinds[p]) {
                    case Plane::kOwn:
                        fill(own[i], plane);
                        break;
                    case Plane::kOpponent:
                        fill(opponent[i], plane);
                        break;
                    case Plane::kBlack:
                        fill(black[i] ? own[i] : opponent[i], plane);
                        break;
                    case Plane::kWhite:
                        fill(black[i] ? opponent[i] : own[i], plane);
                        break;
                    case Plane::kLegal:
                        fill(othello64::legal(own[i], opponent[i], othello64::kAny), plane);
                        break;
                    case Plane::kMover:
                        std::fill_n(plane, 64, black[i] ? 1.0f : 0.0f);
                        break;
                    case Plane::kOnes:
                        std::fill_n(plane, 64, 1.0f);
                        break;
                }
            }
        }
    });
}

}  // namespace zp
