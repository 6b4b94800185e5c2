// Examples of expert moves in Othello: a position as the mover sees it, and the cell that was played.
//
// An example is stored in three flat arrays: own and opposing discs (64 bits each) and a byte with the cell in its
// lower six bits and kWhiteMoves if White is the mover. Sets that are closed under the eight symmetries store one
// example of each orbit: first those with eight different images, then those with four, which are mirrored onto
// themselves at a diagonal (no other symmetry leaves a cell where it is). Examples are numbered through all images.
#pragma once

#include <cstdint>

#include "batch.hpp"

namespace zp {

constexpr uint8_t kCell = 63;
constexpr uint8_t kWhiteMoves = 64;

struct Example {
    uint64_t own, opponent;
    uint8_t move;
};

// The example under symmetry 0 to 7, numbered as in geometry.hpp.
Example image_of(const Example& example, int symmetry);

// The smallest of the eight images, compared by own, opponent and cell.
Example canonical(const Example& example);

struct ExampleArrays {
    uint64_t* own;
    uint64_t* opponent;
    uint8_t* move;
};

// Examples as they are stored; `whole` of them have eight images and the others four, or -1 where each stands only
// for itself.
struct StoredExamples {
    const uint64_t* own;
    const uint64_t* opponent;
    const uint8_t* move;
    int64_t stored;
    int64_t whole = -1;

    int64_t count() const { return whole < 0 ? stored : 8 * whole + 4 * (stored - whole); }
    Example at(int64_t place) const { return {own[place], opponent[place], move[place]}; }
    int64_t stored_index(int64_t number) const;
    Example operator[](int64_t number) const;
};

// Games as moves without passes: those of game g are moves[first[g]] to moves[first[g + 1] - 1], from a position with
// these discs and White to move if white_first[g].
struct Transcripts {
    const uint8_t* moves;
    const int64_t* first;
    const uint64_t* black;
    const uint64_t* white;
    const uint8_t* white_first;
    int64_t games;
};

// One example per move. played[games] gets the number of legal moves before the first illegal one.
void replay_examples(const Transcripts& transcripts, const ExampleArrays& out, int32_t* played);

struct Distinct {
    int64_t stored, whole;
};

// Sorts n examples and removes those that are there already, in place; `orbits` puts the canonical image in the place
// of each before. An example that both colours have played counts as Black's.
Distinct unique_examples(const ExampleArrays& examples, int64_t n, bool orbits);

// On how many examples of a set a classifier is right that always knows the most frequent move of a position.
// `symmetric` counts all images of the stored ones, `distinct` counts equal examples once.
int64_t predictable_examples(const StoredExamples& examples, bool symmetric, bool distinct);

// keys[games]: equal for games with the same moves, also if a symmetry makes them so.
void transcript_keys(const StoredExamples& examples, const int64_t* first, int64_t games, uint64_t* keys);

enum class Equality : int {
    kPlace,   // the stored examples are those of the games themselves, in their order
    kExact,   // an example belongs to a game that holds the same
    kImages,  // ... or an image of it
};
enum Side : uint8_t { kNeither, kTrain, kTest };

// side[examples.stored]: training is what occurs in a training game, test is what occurs only in test games and has a
// position of which no image occurs in any training game. `all` are the examples of the games, tested[games] says
// which games are for testing.
void split_by_game(const StoredExamples& all, const int64_t* first, const uint8_t* tested, int64_t games,
                   const StoredExamples& examples, Equality equality, uint8_t* side);

// side[n]: exactly `tests` of n examples are for testing, drawn by `key`.
void split_by_position(uint64_t key, int64_t n, int64_t tests, uint8_t* side);

int64_t count_side(const uint8_t* side, int64_t n, uint8_t wanted);

// Writes the numbers of the first `room` examples on one side, in increasing order.
void rows_on_side(const uint8_t* side, int64_t n, uint8_t wanted, uint32_t* rows, int64_t room);

// A permutation of 0 to n - 1 (n up to 2^32) that is computed, not stored: an unbalanced Feistel network on the
// smallest sufficient number of bits, but not so few that some permutations become more likely than others, walked
// along its cycle until it is below n.
class Permutation {
  public:
    Permutation(uint64_t key, uint64_t n);
    uint64_t operator()(uint64_t i) const;

  private:
    static constexpr int kRounds = 6, kLeastBits = 8;
    uint64_t n_;
    int low_, high_;
    uint64_t keys_[kRounds];
};

// How rows are drawn from a set, pass by pass.
struct Drawing {
    const uint32_t* rows;  // numbers of examples
    int64_t n;
    uint64_t order;    // key of the order in this pass
    uint64_t sample;   // key of the bootstrap sample, used with `replacement`
    uint64_t images;   // key of the symmetries, used with `symmetries`
    bool replacement;  // draw n rows with replacement first, then order them
    bool symmetries;   // show each example under a random symmetry
};

// The examples begin to begin + n - 1 of a pass. Throws std::out_of_range for a row outside the set.
void draw_examples(const StoredExamples& examples, const Drawing& drawing, int64_t begin, int64_t n,
                   const ExampleArrays& out);

// The numbered examples, in their order. Throws std::out_of_range for a row outside the set.
void take_examples(const StoredExamples& examples, const uint32_t* rows, int64_t n, const ExampleArrays& out);

// Whether a plane depends on the colour of the mover.
inline bool shows_colours(Plane plane) {
    return plane == Plane::kBlack || plane == Plane::kWhite || plane == Plane::kMover;
}

// out[n, count, 64]: the planes of positions, as those of a batch; black[n], whether Black is the mover, is only read
// for planes that show colours.
void encode_examples(const uint64_t* own, const uint64_t* opponent, const uint8_t* black, int64_t n, const Plane* kinds,
                     int count, float* out);

}  // namespace zp
