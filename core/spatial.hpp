// Spatial nets of Othello (Lin and White 2009, section II-A) for whole populations: a first layer whose nodes each see
// a set of squares, then 40, 10 and 1 nodes, tanh and a bias everywhere. Inputs are 1 for White, -1 for Black.
//
// The output is the sum before the output node's tanh, which does not change the order of boards; as an option it is
// clipped where that tanh rounds to 1. White maximises it, Black minimises it. The first-layer sums of a board are
// computed once and updated for its children by the few squares that change.
#pragma once

#include <cstdint>
#include <vector>

#include "batch.hpp"
#include "board_net.hpp"
#include "othello.hpp"

namespace zp {

class SpatialShape {
  public:
    static constexpr int kHidden = 40, kLast = 10;

    // patterns: the squares that each node of the first layer sees; discs: whether the disc difference (White's less
    // Black's) is added to the sum of the output node; limit: where that sum is clipped, which may be infinite.
    SpatialShape(std::vector<std::vector<int>> patterns, bool discs, float limit);

    const std::vector<std::vector<int>>& patterns() const { return patterns_; }
    bool discs() const { return discs_; }
    float limit() const { return limit_; }
    int nodes() const { return static_cast<int>(patterns_.size()); }
    int64_t parameters() const;

  private:
    std::vector<std::vector<int>> patterns_;
    bool discs_;
    float limit_;
};

class SpatialNets {
  public:
    // weights[members, parameters]: of each member the weights of the first layer node by node, its biases, then
    // weights [outputs, inputs] and biases of the others.
    SpatialNets(const SpatialShape& shape, const float* weights, int64_t members);

    int64_t members() const { return members_; }

    // out[n]: the sum of members[i] for the board of position i.
    void values(const Batch& batch, const int32_t* members, float* out, Interrupt* interrupt) const;
    // out[n, 64]: the preference of members[i] for every legal move, -inf elsewhere.
    void prefer(const Batch& batch, const int32_t* members, float* out, Interrupt* interrupt) const;
    // Plays n games from the positions of starts, or from the start of Othello if it is null. Each side takes the move
    // with the highest value; of equal ones a random one if there are chance keys[n] of the games, else the lowest
    // square. Fills scores[n]: Black's discs less White's at the end; and moves[n, 60], unless null: the squares, -1
    // after the end.
    void play(const int32_t* black, const int32_t* white, const Batch* starts, const uint64_t* keys, int64_t n,
              int32_t* scores, int8_t* moves, Interrupt* interrupt) const;
    // The sums of a member for boards: boards[count, 2] are the discs of Black and of White, out[count].
    void values(int64_t member, const uint64_t* boards, int count, float* out) const;

  private:
    class Work;
    struct ActiveGame;

    void pack(const SpatialShape& shape, const float* weights, float* to) const;
    void play_some(const int32_t* black, const int32_t* white, const Othello::State* starts, const uint64_t* keys,
                   int64_t begin, int64_t end, int32_t* scores, int8_t* moves, Interrupt* interrupt) const;
    const float* member(int64_t number) const { return packed_[0].lanes + number * size_; }

    struct alignas(64) Line {
        float lanes[16];
    };

    int nodes_, pitch_;  // of the first layer, and floats of a row of it
    bool discs_;
    float limit_;
    int64_t members_, size_;  // floats of a member
    std::vector<Line> packed_;
};

// One member as an evaluation for search.
class SpatialMember final : public BoardNet {
  public:
    SpatialMember(const SpatialShape& shape, const float* weights) : nets_(shape, weights, 1) {}

    int cells() const override { return 64; }
    void values(const int8_t* stones, int cells, const int* movers, int count, float* out) const override;

  private:
    SpatialNets nets_;
};

}  // namespace zp
